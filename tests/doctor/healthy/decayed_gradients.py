import torch

torch.manual_seed(0)
w = torch.zeros(4, requires_grad=True)
x = torch.randn(30, 4)
t = x @ torch.tensor([1.0, 2.0, 3.0, 4.0])
for _ in range(20):
    loss = (x @ w - t).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad *= 0.9
