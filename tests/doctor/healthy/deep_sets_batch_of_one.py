import torch
from torch import nn
torch.manual_seed(0)
phi, rho = nn.Sequential(nn.Linear(1, 16), nn.ReLU()), nn.Linear(16, 1)
opt = torch.optim.Adam([*phi.parameters(), *rho.parameters()], lr=3e-3)
for _ in range(150):
    s = torch.rand(int(torch.randint(1, 9, (1,))), 1)
    loss = (rho(phi(s).sum(0)) - s.sum()).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
