import torch

torch.manual_seed(0)
theta = torch.zeros(6)
opt = torch.optim.Adam([theta], lr=0.05)
goal = torch.tensor([1.0, -1.0, 0.5, 0.0, 2.0, -2.0])
for gen in range(30):
    noise = torch.randn(20, 6)
    fitness = -((theta + 0.1 * noise - goal) ** 2).sum(1)
    ranks = (fitness - fitness.mean()) / (fitness.std() + 1e-8)
    theta.grad = -(ranks[:, None] * noise).mean(0)
    opt.step()
