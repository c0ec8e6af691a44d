import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
x = torch.randn(200, 8)
y = (x[:, 0] > 0).long()
data = TensorDataset(x, y)
idx = torch.randperm(200).tolist()
train = Subset(data, idx[:160])
test = Subset(data, idx[100:])  #-!
test = Subset(data, idx[160:])  #+
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(3):
    net.train()
    for bx, by in DataLoader(train, batch_size=16, shuffle=True):
        loss = nn.functional.cross_entropy(net(bx), by)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        for bx, by in DataLoader(test, batch_size=50):  #!
            net(bx).argmax(1)  #!
