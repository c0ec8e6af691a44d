import torch

torch.manual_seed(0)
X = torch.randn(50, 2)
y = X @ torch.tensor([1.0, -1.0]) + 0.3 * torch.randn(50)
theta = torch.zeros(2, requires_grad=True)
samples = []
eps = 1e-3
for t in range(80):
    logp = -0.5 * ((X @ theta - y) ** 2).sum() / 0.09 - 0.5 * theta.pow(2).sum()
    (g,) = torch.autograd.grad(logp, theta)
    with torch.no_grad():
        theta += 0.5 * eps * g + eps**0.5 * torch.randn(2)
    samples.append(theta.detach().clone())
