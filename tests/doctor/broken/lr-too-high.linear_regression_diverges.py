import torch
torch.manual_seed(0)
X = torch.rand(100, 1) * 10
y = 3 * X + 2 + torch.randn(100, 1)
w = torch.zeros(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)  #-!
optimizer = torch.optim.SGD([w, b], lr=0.005)  #+
for epoch in range(30):
    y_hat = X @ w + b
    loss = ((y_hat - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
