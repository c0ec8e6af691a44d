import torch

torch.manual_seed(0)
points = torch.randn(6, 2, requires_grad=True)
opt = torch.optim.SGD([points], lr=0.01)
for step in range(10):
    difference = points[:, None] - points[None, :]
    distance = difference.pow(2).sum(-1).sqrt()  #-!
    distance = (difference.pow(2).sum(-1) + 1e-9).sqrt()  #+
    loss = (distance - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
