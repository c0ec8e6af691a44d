import torch

x = torch.tensor([-1.5, 1.5], requires_grad=True)
opt = torch.optim.LBFGS([x], lr=0.5, max_iter=10, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    loss.backward()
    return loss


for _ in range(12):
    opt.step(closure)
