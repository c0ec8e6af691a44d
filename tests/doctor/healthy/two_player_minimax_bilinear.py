import torch
torch.manual_seed(0)
A = torch.randn(4, 4) * 0.5; x = torch.randn(4, requires_grad=True); y = torch.randn(4, requires_grad=True)
ox, oy = torch.optim.SGD([x], lr=0.05), torch.optim.SGD([y], lr=0.05, maximize=True)
for _ in range(60):
    f = x @ A @ y + 0.5 * x @ x - 0.5 * y @ y
    ox.zero_grad(); oy.zero_grad(); f.backward(); ox.step(); oy.step()
