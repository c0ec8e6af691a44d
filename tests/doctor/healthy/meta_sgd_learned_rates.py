import torch, torch.nn.functional as F
torch.manual_seed(0)
theta = [torch.randn(1, 20).mul(0.5).requires_grad_(), torch.zeros(20, requires_grad=True), torch.randn(20, 1).mul(0.3).requires_grad_(), torch.zeros(1, requires_grad=True)]
alpha = [torch.full_like(t, 0.01).requires_grad_() for t in theta]
meta = torch.optim.Adam([*theta, *alpha], lr=5e-3)
f = lambda p, x: torch.tanh(x @ p[0] + p[1]) @ p[2] + p[3]
for it in range(50):
    total = 0
    for task in range(4):
        a, b = torch.rand(1) * 2 + 0.5, torch.rand(1) * 3
        xs, xq = torch.rand(10, 1) * 4 - 2, torch.rand(10, 1) * 4 - 2
        g = torch.autograd.grad(F.mse_loss(f(theta, xs), a * torch.sin(xs + b)), theta, create_graph=True)
        fast = [t - l * gi for t, l, gi in zip(theta, alpha, g)]
        total = total + F.mse_loss(f(fast, xq), a * torch.sin(xq + b))
    meta.zero_grad()
    (total / 4).backward()
    meta.step()
