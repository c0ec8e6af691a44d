import torch
import torch.nn as nn


class CNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(3, 8, 3, 2), nn.Sigmoid(), nn.Conv2d(8, 8, 3), nn.Sigmoid(), nn.Flatten(), nn.Linear(8 * 9, 3))

    def forward(self, x):
        return self.f(x)  #!


torch.manual_seed(0)
imgs = torch.randint(0, 256, (120, 3, 12, 12), dtype=torch.uint8)
labels = imgs.float().mean((2, 3)).argmax(1)
net = CNN()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(40):
    i = torch.randint(0, 120, (24,))
    x = imgs[i].float()  #-!
    x = imgs[i].float() / 127.5 - 1  #+
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), labels[i])  #!
    loss.backward()
    opt.step()
