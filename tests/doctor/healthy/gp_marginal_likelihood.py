import torch

torch.manual_seed(0)
x = torch.linspace(0, 3, 25)
y = torch.sin(2 * x) + 0.05 * torch.randn(25)
log_l, log_s, log_n = (torch.zeros((), requires_grad=True) for _ in range(3))
opt = torch.optim.Adam([log_l, log_s, log_n], 0.05)
for _ in range(60):
    k = log_s.exp() * torch.exp(-(x[:, None] - x) ** 2 / (2 * log_l.exp() ** 2)) + (log_n.exp() + 1e-4) * torch.eye(25)
    L = torch.linalg.cholesky(k)
    alpha = torch.cholesky_solve(y[:, None], L)
    loss = 0.5 * (y[None] @ alpha).squeeze() + L.diagonal().log().sum()
    opt.zero_grad(); loss.backward(); opt.step()
