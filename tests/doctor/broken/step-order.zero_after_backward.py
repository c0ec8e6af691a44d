import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
X = torch.randn(100, 10)
Y = (X[:, 0] > 0).long()
for epoch in range(20):
    opt.zero_grad()  #+
    out = model(X)
    loss = nn.functional.cross_entropy(out, Y)
    loss.backward()
    opt.zero_grad()  #-!
    opt.step()
