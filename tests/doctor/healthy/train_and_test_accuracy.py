import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(160, 6)
ds = TensorDataset(x, (x.sum(1) > 0).long())
train_set, test_set = random_split(ds, [120, 40])
train_loader = DataLoader(train_set, batch_size=20, shuffle=True)
test_loader = DataLoader(test_set, batch_size=20)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.5)


def evaluate(loader):
    net.eval()
    good = 0
    with torch.no_grad():
        for bx, by in loader:
            good += (net(bx).argmax(1) == by).sum().item()
    net.train()
    return good / len(loader.dataset)


for epoch in range(4):
    for bx, by in train_loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(bx), by).backward()
        opt.step()
    evaluate(train_loader), evaluate(test_loader)
