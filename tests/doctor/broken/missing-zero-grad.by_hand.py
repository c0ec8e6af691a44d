import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 50)
t = 3 * x + 1 + 0.1 * torch.randn(50)
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
lr = 0.05
for step in range(20):
    loss = ((w * x + b - t) ** 2).mean()
    loss.backward()  #!
    with torch.no_grad():
        w -= lr * w.grad
        b -= lr * b.grad
        w.grad.zero_()  #+
        b.grad.zero_()  #+
print(w.item(), b.item())
