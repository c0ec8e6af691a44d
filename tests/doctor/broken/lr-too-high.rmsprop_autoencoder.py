import torch
from torch import nn

torch.manual_seed(0)
ae = nn.Sequential(nn.Linear(16, 4), nn.ELU(), nn.Linear(4, 16))
opt = torch.optim.RMSprop(ae.parameters(), lr=0.8)  #-!
opt = torch.optim.RMSprop(ae.parameters(), lr=3e-3)  #+
basis = torch.randn(2, 16)
for it in range(60):
    x = torch.randn(40, 2) @ basis
    loss = nn.functional.mse_loss(ae(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
