import torch
import torch.nn as nn


class DeepSigmoidCNN(nn.Module):
    def __init__(self, depth=9):
        super().__init__()
        self.convs = nn.ModuleList([nn.Conv2d(1 if i == 0 else 6, 6, 3, padding=1) for i in range(depth)])
        self.head = nn.Linear(6, 3)
        self.act = nn.Sigmoid()  #-!
        self.act = nn.ReLU()  #+
        self.norms = nn.ModuleList([nn.BatchNorm2d(6) for _ in range(depth)])  #+

    def forward(self, x):
        for c in self.convs:  #-
            x = self.act(c(x))  #-!
        for c, n in zip(self.convs, self.norms):  #+
            x = self.act(n(c(x)))  #+
        return self.head(x.mean((2, 3)))


torch.manual_seed(0)
net = DeepSigmoidCNN()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for _ in range(40):
    x = torch.randn(16, 1, 6, 6)
    y = (x.mean((1, 2, 3)) * 6 + 1.5).long().clamp(0, 2)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
