import torch
import torch.nn.functional as F

torch.manual_seed(0)


class ConvNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 4, 3)
        self.bn = torch.nn.BatchNorm2d(4)
        self.fc = torch.nn.Linear(4 * 36, 2)

    def forward(self, x):
        return self.fc(F.relu(self.bn(self.conv(x))).flatten(1))


net = ConvNet()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for phase in ("train", "val"):
    net.train(phase != "train")  #-!
    net.train(phase == "train")  #+
    for _ in range(8):
        x = torch.randn(8, 1, 8, 8)
        y = (x.mean((1, 2, 3)) > 0).long()
        if phase == "train":
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        else:
            with torch.no_grad():
                net(x)
