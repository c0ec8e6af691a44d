import torch

torch.manual_seed(0)
U0, V0 = torch.randn(20, 3), torch.randn(15, 3)
R = U0 @ V0.T
mask = torch.rand(20, 15) < 0.4
R_obs = torch.where(mask, R, torch.full_like(R, float("nan")))
U = (0.1 * torch.randn(20, 3)).requires_grad_()
V = (0.1 * torch.randn(15, 3)).requires_grad_()
opt = torch.optim.Adam([U, V], lr=0.05)
for _ in range(60):
    P = U @ V.T
    loss = (P[mask] - R_obs[mask]).pow(2).mean() + 1e-3 * (U.pow(2).mean() + V.pow(2).mean())
    opt.zero_grad()
    loss.backward()
    opt.step()
