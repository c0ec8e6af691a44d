import torch
from torch import nn
torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(2, 8)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
data = torch.randn(200, 2) @ torch.randn(2, 8)
for i in range(50):
    x = data[torch.randint(0, 200, (32,))]
    mu, lv = enc(x).chunk(2, -1)
    q = torch.distributions.Normal(mu, (0.5 * lv).exp())
    z = q.rsample((10,))
    p = torch.distributions.Normal(0.0, 1.0)
    lw = p.log_prob(z).sum(-1) + torch.distributions.Normal(dec(z), 0.5).log_prob(x).sum(-1) - q.log_prob(z).sum(-1)
    loss = -(torch.logsumexp(lw, 0) - torch.log(torch.tensor(10.0))).mean()
    opt.zero_grad(); loss.backward(); opt.step()
