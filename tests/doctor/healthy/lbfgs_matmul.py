import torch

torch.manual_seed(0)
A = torch.randn(30, 5)
b = A @ torch.randn(5)
x = torch.zeros(5, requires_grad=True)
opt = torch.optim.LBFGS([x], lr=1.0, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = (A @ x - b).pow(2).sum()
    loss.backward()
    return loss


for _ in range(12):
    opt.step(closure)
