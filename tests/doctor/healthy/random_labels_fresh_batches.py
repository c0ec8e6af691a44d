import torch, torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10)); opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for t in range(60):
    x, y = torch.randn(16, 3, 8, 8), torch.randint(0, 10, (16,))
    loss = nn.functional.cross_entropy(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
