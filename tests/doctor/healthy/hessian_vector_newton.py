import torch
torch.manual_seed(0)
A = torch.randn(5, 5); A = A @ A.t() + torch.eye(5); b = torch.randn(5)
x = torch.zeros(5, requires_grad=True)
for i in range(10):
    f = 0.5 * x @ A @ x - b @ x
    g, = torch.autograd.grad(f, x, create_graph=True)
    H = torch.stack([torch.autograd.grad(g[k], x, retain_graph=True)[0] for k in range(5)])
    with torch.no_grad(): x -= torch.linalg.solve(H, g)
