import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
enc, dec = nn.Linear(10, 6), nn.Linear(6, 10); opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 5e-3)
for i in range(60):
    k = torch.randint(0, 6, (64,)); x = F.one_hot(k, 10).float() + 0.1 * torch.randn(64, 10)
    z = F.gumbel_softmax(enc(x), tau=1.0, hard=True)
    loss = F.mse_loss(dec(z), x)
    opt.zero_grad(); loss.backward(); opt.step()
