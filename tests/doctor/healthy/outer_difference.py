import torch

torch.manual_seed(0)
points = torch.randn(12, 2, requires_grad=True)
goal = torch.rand(12, 12)
goal = (goal + goal.t()) / 2
opt = torch.optim.SGD([points], lr=0.01)
for _ in range(20):
    d = (points[:, None, :] - points[None, :, :]).pow(2).sum(-1).add(1e-6).sqrt()
    loss = (d - goal).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
