import torch

torch.manual_seed(0)
X = torch.randn(60, 2)
y = 3 * X[:, 0] - X[:, 1]
theta = torch.randn(2, requires_grad=True)
lr = 1.7  #-!
lr = 0.1  #+
for it in range(30):
    cost = ((X @ theta - y) ** 2).mean()
    cost.backward()
    with torch.no_grad():
        theta -= lr * theta.grad  #!
        theta.grad.zero_()
