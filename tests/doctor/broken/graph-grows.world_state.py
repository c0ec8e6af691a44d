import torch
from torch import nn

torch.manual_seed(0)
controller = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optim = torch.optim.Adam(controller.parameters(), lr=1e-2)
pos = torch.randn(8, 1)
vel = torch.zeros(8, 1)
for t in range(10):
    pos, vel = pos.detach(), vel.detach()  #+
    force = controller(torch.cat([pos, vel], dim=1))  #!
    vel = vel + 0.1 * force  #!
    pos = pos + 0.1 * vel  #!
    cost = (pos**2).mean() + 0.01 * (force**2).mean()
    optim.zero_grad()
    cost.backward(retain_graph=True)  #-!
    cost.backward()  #+
    optim.step()
