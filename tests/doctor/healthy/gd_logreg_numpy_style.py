import torch
torch.manual_seed(0)
X = torch.randn(200, 3); y = (X @ torch.tensor([1.0, -1.0, 0.5]) > 0).float()
w, b = torch.zeros(3, requires_grad=True), torch.zeros(1, requires_grad=True)
for i in range(100):
    p = torch.sigmoid(X @ w + b)
    loss = -(y * torch.log(p + 1e-8) + (1 - y) * torch.log(1 - p + 1e-8)).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad; b -= 0.5 * b.grad
    w.grad = None; b.grad = None
