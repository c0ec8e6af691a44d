import torch

torch.manual_seed(0)
u = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
opt = torch.optim.Adam(u.parameters(), lr=5e-3)
for _ in range(25):
    x = torch.rand(32, 1, requires_grad=True)
    y = u(x)
    dy = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
    boundary = (u(torch.zeros(1, 1)) - 1).pow(2).mean()
    loss = (dy + y).pow(2).mean() + boundary
    opt.zero_grad()
    loss.backward()
    opt.step()
