import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.randn(10, 3)
t = x.sum(1)
for _ in range(3):
    loss = (x @ w - t) ** 2  #-!
    loss = ((x @ w - t) ** 2).mean()  #+
    loss.backward()
    w.data -= 0.1 * w.grad
    w.grad = None
