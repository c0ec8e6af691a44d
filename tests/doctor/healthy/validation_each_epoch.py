import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
x = torch.randn(120, 6)
data = TensorDataset(x, (x[:, 0] + x[:, 1] > 0).long())
train, val = random_split(data, [96, 24])
model = nn.Sequential(
    nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2)
)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)
best = float("inf")
for epoch in range(3):
    model.train()
    for bx, by in DataLoader(train, batch_size=16, shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(model(bx), by).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        total = sum(nn.functional.cross_entropy(model(a), b).item() for a, b in DataLoader(val, 8))
    sched.step(total)
    best = min(best, total)
