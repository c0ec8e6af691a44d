import torch
torch.manual_seed(0)
x = torch.randn(30, 2, requires_grad=True); opt = torch.optim.Adagrad([x], lr=0.1)
logp = lambda z: torch.logsumexp(torch.stack([-(z - 2).pow(2).sum(1), -(z + 2).pow(2).sum(1)]), 0)
for _ in range(60):
    g = torch.autograd.grad(logp(x).sum(), x)[0]
    d = torch.cdist(x.detach(), x.detach()) ** 2; h = d.median() / 3.4
    K = torch.exp(-d / h)
    rep = (2 / h) * (K.sum(1, keepdim=True) * x.detach() - K @ x.detach())
    opt.zero_grad(); x.grad = -(K @ g + rep) / 30; opt.step()
