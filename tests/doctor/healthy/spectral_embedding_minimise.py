import torch

torch.manual_seed(0)
A = torch.randn(12, 12)
M = A @ A.T
V = torch.randn(12, 3, requires_grad=True)
opt = torch.optim.Adam([V], lr=0.05)
for _ in range(60):
    Q, _ = torch.linalg.qr(V)
    loss = -torch.trace(Q.T @ M @ Q)
    opt.zero_grad()
    loss.backward()
    opt.step()
