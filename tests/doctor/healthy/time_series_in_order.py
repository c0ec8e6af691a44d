import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
wave = torch.sin(torch.arange(0, 200) / 8)
x = wave.unfold(0, 12, 1)[:-1]
y = wave[12:].unsqueeze(1)
net = nn.Sequential(nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    for a, b in DataLoader(TensorDataset(x, y), batch_size=16):
        loss = (net(a) - b).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
