import torch

torch.manual_seed(0)
A = torch.randn(20, 20)
A = A @ A.T + torch.eye(20)
b = torch.randn(20)
x = torch.zeros(20, requires_grad=True)
opt = torch.optim.LBFGS([x], lr=1, max_iter=10, line_search_fn="strong_wolfe")
evals = 0


def closure():
    global evals
    evals += 1
    opt.zero_grad()
    f = 0.5 * x @ A @ x - b @ x
    f.backward()
    return f


for _ in range(6):
    opt.step(closure)
