import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for q in range(80):
    docs = torch.randn(12, 8)
    rel = docs[:, 0] * 2
    s = net(docs)
    loss = -(torch.softmax(rel, 0).unsqueeze(1) * torch.log_softmax(s, dim=0)).sum()
    opt.zero_grad(); loss.backward(); opt.step()
