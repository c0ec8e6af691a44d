import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.fc = nn.Linear(4 * 4 * 4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def train(args, model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        optimizer.zero_grad()  #+
        output = model(data)
        loss = F.nll_loss(output, target)
        loss.backward()  #!
        optimizer.step()  #!
        if batch_idx % args.log_interval == 0:
            print(f"epoch {epoch} [{batch_idx}] loss {loss.item():.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--log-interval", type=int, default=4)
    args = parser.parse_args([])
    torch.manual_seed(0)
    images = torch.randn(96, 1, 8, 8)
    labels = (images.mean((1, 2, 3)) > 0).long() + (images[:, 0, 0, 0] > 1).long()
    loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.5)
    for epoch in range(1, args.epochs + 1):
        train(args, model, loader, optimizer, epoch)


if __name__ == "__main__":
    main()
