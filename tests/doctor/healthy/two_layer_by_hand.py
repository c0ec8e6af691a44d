import torch

torch.manual_seed(0)
w1 = (torch.randn(6, 24) * 0.4).requires_grad_()
w2 = (torch.randn(24, 1) * 0.2).requires_grad_()
opt = torch.optim.Adam([w1, w2], 1e-2)
for _ in range(60):
    x = torch.randn(64, 6)
    h = (x @ w1).clamp(min=0)
    loss = ((h @ w2) - x[:, :1].abs()).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
