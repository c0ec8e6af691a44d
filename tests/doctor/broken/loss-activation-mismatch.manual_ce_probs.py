import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4), nn.Softmax(dim=-1))  #-!
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4), nn.LogSoftmax(dim=-1))  #+
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def run_epoch(loader):
    for x, y in loader:
        optimizer.zero_grad()
        criterion(net(x), y).backward()  #!
        optimizer.step()


batches = [(torch.randn(8, 5), torch.randint(0, 4, (8,))) for _ in range(4)]
for _ in range(5):
    run_epoch(batches)
