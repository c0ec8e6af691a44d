import torch
torch.manual_seed(0)
x = torch.randn(100, 4); y = x @ torch.randn(4, 1)
w = torch.zeros(4, 1, requires_grad=True); log_lr = torch.tensor(-3.0, requires_grad=True)
meta = torch.optim.Adam([log_lr], lr=0.1)
for it in range(30):
    loss = ((x @ w - y) ** 2).mean()
    (g,) = torch.autograd.grad(loss, w, create_graph=True)
    w_new = w - log_lr.exp() * g
    after = ((x @ w_new - y) ** 2).mean()
    meta.zero_grad(); after.backward(); meta.step()
    w = w_new.detach().requires_grad_()
