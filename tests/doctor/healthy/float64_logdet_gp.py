import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
X = torch.rand(25, 1) * 6
y = torch.sin(X[:, 0]) + 0.1 * torch.randn(25)
raw = torch.zeros(3, requires_grad=True)
opt = torch.optim.Adam([raw], lr=0.05)
for _ in range(30):
    ls, var, noise = raw.exp()
    K = var * torch.exp(-0.5 * (X - X.T) ** 2 / ls**2) + (noise * 0.1 + 1e-6) * torch.eye(25)
    L = torch.linalg.cholesky(K)
    a = torch.cholesky_solve(y[:, None], L)[:, 0]
    nll = 0.5 * y @ a + L.diagonal().log().sum()
    opt.zero_grad()
    nll.backward()
    opt.step()
