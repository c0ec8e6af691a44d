import torch

torch.manual_seed(0)
w1 = torch.randn(4, 16, requires_grad=True)
w2 = torch.randn(16, 1, requires_grad=True)
for t in range(40):
    x = torch.randn(32, 4)
    y = x[:, :1] - x[:, 1:2]
    loss = ((x @ w1).clamp(min=0) @ w2 - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        for w in (w1, w2):
            w -= 1e-2 * w.grad
            w.grad = None
