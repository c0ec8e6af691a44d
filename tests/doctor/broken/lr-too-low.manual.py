import torch

torch.manual_seed(0)
X = torch.randn(50, 3)
t = X @ torch.tensor([[2.0], [-1.0], [3.0]])
w = torch.zeros(3, 1, requires_grad=True)
learning_rate = 1e-9  #-!
learning_rate = 1e-1  #+
for i in range(60):
    loss = ((X @ w - t) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= learning_rate * w.grad  #!
        w.grad.zero_()
