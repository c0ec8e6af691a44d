import torch
torch.manual_seed(0)
x = torch.randn(20, 2, requires_grad=True); y = torch.randn(20, 2) + torch.tensor([3.0, 0.0]); opt = torch.optim.Adam([x], lr=0.1)
for _ in range(40):
    C = torch.cdist(x, y) ** 2; M = -C / 0.5; u = torch.zeros(20); w = torch.zeros(20)
    for _ in range(20):
        u = -torch.logsumexp(M + w[None], 1); w = -torch.logsumexp(M + u[:, None], 0)
    P = torch.exp(M + u[:, None] + w[None]); loss = (P * C).sum() / 20
    opt.zero_grad(); loss.backward(); opt.step()
