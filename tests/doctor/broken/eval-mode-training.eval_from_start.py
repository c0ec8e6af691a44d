import torch
from torch import nn

torch.manual_seed(0)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(self.body(x).flatten(1))


net = ConvNet()
net.eval()  #-!
net.train()  #+
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(12):
    img, lab = torch.randn(8, 3, 10, 10), torch.randint(0, 2, (8,))
    loss = nn.functional.cross_entropy(net(img), lab)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
