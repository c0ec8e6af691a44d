import torch

torch.manual_seed(0)
w = torch.randn(6, requires_grad=True)
x = torch.randn(40, 6)
t = x.sum(1)
velocity = torch.zeros(6)
for _ in range(20):
    loss = (x @ w - t).pow(2).mean()
    (g,) = torch.autograd.grad(loss, w)
    velocity = 0.9 * velocity + g
    w.data -= 0.01 * velocity
