import torch

torch.manual_seed(0)
x = torch.linspace(-3, 3, 200)
y = torch.sin(x)
a = torch.randn((), requires_grad=True)
b = torch.randn((), requires_grad=True)
c = torch.randn((), requires_grad=True)
d = torch.randn((), requires_grad=True)
learning_rate = 1e-5
for t in range(200):
    y_pred = a + b * x + c * x ** 2 + d * x ** 3
    loss = (y_pred - y).pow(2).sum()
    loss.backward()  #!
    with torch.no_grad():
        a -= learning_rate * a.grad  #!
        b -= learning_rate * b.grad  #!
        c -= learning_rate * c.grad  #!
        d -= learning_rate * d.grad  #!
        for p in (a, b, c, d):  #+
            p.grad = None  #+
