import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(800, 6)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=8, shuffle=True)
val = [(torch.randn(16, 6), torch.randint(0, 2, (16,))) for _ in range(3)]
net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-3)


def validate():
    net.eval()  #!
    with torch.no_grad():
        return sum(nn.functional.cross_entropy(net(a), b).item() for a, b in val)


net.train()
for epoch in range(5):
    net.train()  #+
    for bx, by in loader:
        loss = nn.functional.cross_entropy(net(bx), by)
        opt.zero_grad()
        loss.backward()
        opt.step()
    validate()
