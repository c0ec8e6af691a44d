import torch

torch.manual_seed(0)
w = torch.zeros(5, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
x = torch.randn(100, 5)
y = x @ torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]]) + 0.5
learning_rate = 2.5  #-!
learning_rate = 0.1  #+
for i in range(30):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= learning_rate * w.grad  #!
        b -= learning_rate * b.grad  #!
        w.grad.zero_()
        b.grad.zero_()
