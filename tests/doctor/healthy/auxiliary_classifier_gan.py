import torch
from torch import nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(6, 24), nn.LeakyReLU(0.2), nn.Linear(24, 2)); body = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2)); adv, cls = nn.Linear(24, 1), nn.Linear(24, 2)
og = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.5, 0.99)); od = torch.optim.Adam([*body.parameters(), *adv.parameters(), *cls.parameters()], 1e-3, betas=(0.5, 0.99))
B = nn.functional.binary_cross_entropy_with_logits; CE = nn.functional.cross_entropy
for it in range(40):
    y = torch.randint(0, 2, (32,)); real = torch.randn(32, 2) * 0.2 + y.view(-1, 1) * 2.0
    z = torch.cat([torch.randn(32, 4), nn.functional.one_hot(y, 2).float()], 1); fake = G(z)
    hr, hf = body(real), body(fake.detach())
    ld = B(adv(hr), torch.full((32, 1), 0.9)) + B(adv(hf), torch.zeros(32, 1)) + CE(cls(hr), y)
    od.zero_grad(); ld.backward(); od.step()
    h = body(fake); lg = B(adv(h), torch.ones(32, 1)) + CE(cls(h), y)
    og.zero_grad(); lg.backward(); og.step()
