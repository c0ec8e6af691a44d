import torch, torch.nn as nn
torch.manual_seed(0)
u = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.Adam(u.parameters(), lr=2e-3)
for it in range(60):
    x = torch.rand(64, 1, requires_grad=True)
    y = u(x)
    dy = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]
    d2 = torch.autograd.grad(dy, x, torch.ones_like(dy), create_graph=True)[0]
    res = d2 + 9.87 * torch.sin(3.1416 * x)
    bc = u(torch.tensor([[0.0], [1.0]]))
    loss = res.pow(2).mean() + 10 * bc.pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
