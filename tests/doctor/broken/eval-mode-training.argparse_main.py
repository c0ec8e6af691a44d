import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 8, 3)
        self.bn = nn.BatchNorm2d(8)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(8 * 36, 4)

    def forward(self, x):
        return self.fc(self.drop(F.relu(self.bn(self.c1(x))).flatten(1)))


def train(args, model, loader, optimizer, epoch):
    model.train()  #+
    for data, target in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(data), target).backward()
        optimizer.step()


def test(model, loader):
    model.eval()  #!
    correct = 0
    with torch.no_grad():
        for data, target in loader:
            correct += (model(data).argmax(1) == target).sum().item()
    return correct


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    args = parser.parse_args([])
    torch.manual_seed(0)
    x = torch.randn(200, 1, 8, 8)
    y = x.flatten(1)[:, :4].argmax(1)
    ds = torch.utils.data.TensorDataset(x, y)
    tr, te = torch.utils.data.random_split(ds, [160, 40])
    trl = torch.utils.data.DataLoader(tr, 16, shuffle=True)
    tel = torch.utils.data.DataLoader(te, 40)
    model = Net()
    opt = torch.optim.Adadelta(model.parameters(), lr=1.0)
    for epoch in range(args.epochs):
        train(args, model, trl, opt, epoch)
        print(test(model, tel))


if __name__ == "__main__":
    main()
