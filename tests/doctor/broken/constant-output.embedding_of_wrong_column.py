import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 8)
        self.fc = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, row):
        return self.fc(self.emb(row[:, 0]))  #!


torch.manual_seed(0)
ids = torch.randint(0, 20, (200,))
rows = torch.stack([torch.zeros(200, dtype=torch.long), ids], 1)  #-!
rows = torch.stack([ids, torch.zeros(200, dtype=torch.long)], 1)  #+
y = (ids.float() / 10 - 1).unsqueeze(1)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(8):
    for i in range(0, 200, 25):
        loss = nn.functional.mse_loss(net(rows[i : i + 25]), y[i : i + 25])  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
