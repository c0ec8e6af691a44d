import torch

torch.manual_seed(0)
w = torch.zeros(3, requires_grad=True)
x = torch.randn(50, 3)
y = x @ torch.tensor([1.0, 2.0, 3.0])
for i in range(20):
    err = (x @ w - y) ** 2  #-!
    err = ((x @ w - y) ** 2).mean()  #+
    err.backward()  #!
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
