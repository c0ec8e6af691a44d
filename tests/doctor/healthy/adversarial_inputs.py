import torch
import torch.nn.functional as F

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 6, requires_grad=True)
    y = (x[:, 0] > 0).long()
    g = torch.autograd.grad(F.cross_entropy(net(x), y), x)[0]
    attacked = (x + 0.1 * g.sign()).detach()
    loss = F.cross_entropy(net(attacked), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
