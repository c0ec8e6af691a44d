import torch

torch.manual_seed(0)
X = torch.cat([torch.randn(100, 3), torch.ones(100, 1)], 1)
w_true = torch.tensor([[1.0], [-2.0], [0.5], [3.0]])
Y = X @ w_true
w = torch.zeros(4, 1, requires_grad=True)
for _ in range(100):
    loss = ((X @ w - Y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
