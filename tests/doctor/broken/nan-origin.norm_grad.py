import torch

torch.manual_seed(0)
net = torch.nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
points = torch.randn(12, 3)
for _ in range(6):
    z = net(points)
    diff = z.unsqueeze(0) - z.unsqueeze(1)
    dist = diff.pow(2).sum(-1).sqrt()  #-!
    dist = (diff.pow(2).sum(-1) + 1e-12).sqrt()  #+
    loss = (dist - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
