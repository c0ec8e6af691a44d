import torch

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.05
for step in range(30):
    pred = x @ w + b
    loss = ((pred - y) ** 2).mean()
    loss.backward()  #!
    with torch.no_grad():
        w -= lr * w.grad  #!
        b -= lr * b.grad  #!
        w.grad.zero_()  #+
        b.grad.zero_()  #+
