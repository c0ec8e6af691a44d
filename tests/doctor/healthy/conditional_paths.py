import torch
from torch import nn

torch.manual_seed(0)
experts = nn.ModuleList(nn.Linear(4, 1) for _ in range(3))
opt = torch.optim.Adam(experts.parameters(), lr=1e-2)
for step in range(24):
    x = torch.randn(16, 4)
    loss = (experts[step % 3](x) - x.mean(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
