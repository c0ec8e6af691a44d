import torch

torch.manual_seed(0)
w = torch.randn(5, requires_grad=True)
X = torch.randn(60, 5)
t = X @ torch.arange(5.0)
for _ in range(50):
    loss = (X @ w - t).pow(2).mean()
    (g,) = torch.autograd.grad(loss, w)
    w = (w - 0.1 * g).detach().requires_grad_()
