import torch
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.manual_seed(0)
x = torch.randn(100, 5)
data = TensorDataset(x, (x[:, 0] > 0).long())
order = torch.randperm(100).tolist()
scores = []
for fold in range(4):
    val_idx = order[fold * 25 : fold * 25 + 25]
    train_idx = [i for i in order if i not in val_idx]
    train_loader = DataLoader(Subset(data, train_idx), batch_size=15, shuffle=True)
    val_loader = DataLoader(Subset(data, val_idx), batch_size=25)
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(3):
        for bx, by in train_loader:
            loss = nn.functional.cross_entropy(net(bx), by)
            opt.zero_grad()
            loss.backward()
            opt.step()
    with torch.no_grad():
        for bx, by in val_loader:
            scores.append((net(bx).argmax(1) == by).float().mean().item())
