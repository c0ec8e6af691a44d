import torch
torch.manual_seed(0)
X = torch.randn(100, 20)
y = X @ torch.randn(20)
w = torch.zeros(20, requires_grad=True)
lr = 1.5  #-
lr = 0.1  #+
for i in range(40):
    loss = ((X @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad  #!
        w.grad.zero_()
