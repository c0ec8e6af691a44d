import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 40).reshape(-1, 1)
y = (3 * x + 0.5 + 0.1 * torch.randn(40, 1)).flatten()
y = y.reshape(-1, 1)  #+
w = torch.randn(1, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([w, b], lr=0.1)
for epoch in range(30):
    y_hat = x @ w + b
    loss = ((y_hat - y) ** 2).mean()  #!
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
