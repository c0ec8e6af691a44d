import torch
torch.manual_seed(0)
t = torch.linspace(0, 10, 100); y = 3.0 * torch.exp(-0.4 * t)
a, k = torch.tensor(1.0, requires_grad=True), torch.tensor(0.1, requires_grad=True)
opt = torch.optim.Adam([a, k], lr=0.1)
for _ in range(100):
    opt.zero_grad(); ((a * torch.exp(-k * t) - y) ** 2).mean().backward(); opt.step()
