import torch

torch.manual_seed(0)
x = torch.linspace(0, 10, 50)
y = 2 * x + 1
a = torch.zeros((), requires_grad=True)
b = torch.zeros((), requires_grad=True)
lr = 0.1  #-!
lr = 0.01  #+
for i in range(25):
    loss = ((a * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        a -= lr * a.grad  #!
        b -= lr * b.grad  #!
        a.grad = b.grad = None
