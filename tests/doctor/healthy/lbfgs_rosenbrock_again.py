import torch
xy = torch.tensor([-1.5, 2.0], requires_grad=True)
opt = torch.optim.LBFGS([xy], lr=1, max_iter=20, line_search_fn="strong_wolfe")
def f(p): return (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2
def closure():
    opt.zero_grad()
    loss = f(xy)
    loss.backward()
    return loss
for i in range(10):
    opt.step(closure)
print(xy)
