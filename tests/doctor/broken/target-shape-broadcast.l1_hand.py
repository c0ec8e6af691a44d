import torch
torch.manual_seed(0)
X = torch.randn(80, 3)
true_w = torch.tensor([1.0, -2.0, 0.5])
y = X @ true_w + 0.1 * torch.randn(80)
w = torch.zeros(3, 1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
def model(X): return X @ w + b
def mae(pred, target):
    return torch.mean(torch.abs(pred - target))  #-!
    return torch.mean(torch.abs(pred.view(-1) - target))  #+
for epoch in range(50):
    loss = mae(model(X), y)
    loss.backward()
    with torch.no_grad():
        w -= 0.05 * w.grad
        b -= 0.05 * b.grad
        w.grad.zero_()
        b.grad.zero_()
