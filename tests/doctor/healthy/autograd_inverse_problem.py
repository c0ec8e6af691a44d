import torch

torch.manual_seed(0)
A = torch.randn(20, 10)
truth = torch.zeros(10)
truth[[1, 5]] = torch.tensor([2.0, -3.0])
b = A @ truth
x = torch.zeros(10, requires_grad=True)
opt = torch.optim.Adam([x], lr=0.1)
for _ in range(80):
    loss = (A @ x - b).pow(2).mean() + 0.05 * x.abs().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
