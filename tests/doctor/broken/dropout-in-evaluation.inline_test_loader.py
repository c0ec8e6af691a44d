import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main():
    torch.manual_seed(0)
    x = torch.randn(240, 1, 6, 6)
    y = (x.mean((1, 2, 3)) > 0).long()
    train = DataLoader(TensorDataset(x[:200], y[:200]), 40, shuffle=True)
    test = DataLoader(TensorDataset(x[200:], y[200:]), 40)
    net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Linear(96, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(3):
        for xb, yb in train:
            opt.zero_grad()
            nn.functional.cross_entropy(net(xb), yb).backward()
            opt.step()
    correct = 0
    net.eval()  #+
    with torch.no_grad():  #!
        for xb, yb in test:
            correct += (net(xb).argmax(1) == yb).sum().item()  #!
    print("accuracy", correct / 40)


main()
