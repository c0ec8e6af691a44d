import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(600, 5)
y = (X[:, 0] > 1.9).float()
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(3):
    for i in torch.randperm(600).split(30):
        loss = nn.functional.binary_cross_entropy_with_logits(net(X[i])[:, 0], y[i], pos_weight=torch.tensor(10.0))
        opt.zero_grad()
        loss.backward()
        opt.step()
