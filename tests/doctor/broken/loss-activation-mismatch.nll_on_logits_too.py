import torch
import torch.nn.functional as F
from torch import nn


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3, padding=1)
        self.fc = nn.Linear(6 * 16, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv(x)), 2)
        x = self.fc(x.flatten(1))  #-
        x = F.log_softmax(self.fc(x.flatten(1)), dim=1)  #+
        return x


torch.manual_seed(0)
net = ConvNet()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
imgs = torch.randn(96, 1, 8, 8)
lab = torch.randint(0, 3, (96,))
imgs += lab.view(-1, 1, 1, 1)
for i in range(20):
    loss = F.nll_loss(net(imgs), lab)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
