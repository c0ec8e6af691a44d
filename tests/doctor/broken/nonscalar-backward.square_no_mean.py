import torch

torch.manual_seed(0)
w = torch.randn(3, 1, requires_grad=True)
X = torch.randn(20, 3)
t = X.sum(1, keepdim=True)
for it in range(10):
    loss = (X @ w - t).pow(2)  #-!
    loss = (X @ w - t).pow(2).mean()  #+
    loss.backward()  #!
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
