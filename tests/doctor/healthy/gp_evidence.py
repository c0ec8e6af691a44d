import torch

torch.manual_seed(0)
x = torch.linspace(0, 4, 25, dtype=torch.float64)
y = torch.sin(x) + 0.1 * torch.randn(25, dtype=torch.float64)
raw = torch.zeros(3, dtype=torch.float64, requires_grad=True)
opt = torch.optim.Adam([raw], 0.05)
for i in range(40):
    l, s, n = raw.exp()
    K = s * torch.exp(-0.5 * (x[:, None] - x[None, :]) ** 2 / l**2) + (n * 0.1 + 1e-6) * torch.eye(25, dtype=torch.float64)
    L = torch.linalg.cholesky(K)
    al = torch.cholesky_solve(y[:, None], L)
    loss = 0.5 * (y @ al).sum() + L.diagonal().log().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
