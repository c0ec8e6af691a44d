import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)).eval()
x = torch.randn(16, 10); y = net(x).argmax(1)
delta = torch.zeros_like(x, requires_grad=True)
for i in range(20):
    loss = F.cross_entropy(net(x + delta), y)
    loss.backward()
    delta.data = (delta + 0.02 * delta.grad.sign()).clamp(-0.2, 0.2).data
    delta.grad.zero_()
print((net(x + delta).argmax(1) != y).float().mean())
