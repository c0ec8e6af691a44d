import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)); x = torch.randn(100, 4); y = x[:, :1]
flat = nn.utils.parameters_to_vector(net.parameters()).detach()
def score(v):
    with torch.no_grad():
        nn.utils.vector_to_parameters(v, net.parameters()); return nn.functional.mse_loss(net(x), y).item()
for g in range(10):
    pop = [flat + 0.1 * torch.randn_like(flat) for _ in range(8)]; flat = min(pop, key=score)
nn.utils.vector_to_parameters(flat, net.parameters())
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(40):
    opt.zero_grad(); nn.functional.mse_loss(net(x), y).backward(); opt.step()
