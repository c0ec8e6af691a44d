import torch

torch.manual_seed(0)
Xt, Xv = torch.randn(30, 4), torch.randn(30, 4)
w_true = torch.randn(4)
yt, yv = Xt @ w_true + torch.randn(30), Xv @ w_true
log_reg = torch.tensor(0.0, requires_grad=True)
outer = torch.optim.Adam([log_reg], lr=0.1)
for it in range(15):
    w = torch.zeros(4, requires_grad=True)
    for _ in range(10):
        inner = (Xt @ w - yt).pow(2).mean() + log_reg.exp() * w.pow(2).sum()
        (g,) = torch.autograd.grad(inner, w, create_graph=True)
        w = w - 0.1 * g
    val_loss = (Xv @ w - yv).pow(2).mean()
    outer.zero_grad()
    val_loss.backward()
    outer.step()
