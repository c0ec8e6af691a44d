import torch
import torch.nn as nn
torch.manual_seed(0)
centers = torch.randn(5, 6) * 2
X = torch.cat([centers[c] + torch.randn(60, 6) for c in range(5)])
Y = torch.arange(5).repeat_interleave(60)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    order = torch.randperm(300)  #+
    for i in range(0, 300, 30):
        xb, yb = X[i:i + 30], Y[i:i + 30]  #-!
        xb, yb = X[order[i:i + 30]], Y[order[i:i + 30]]  #+
        loss = nn.functional.cross_entropy(model(xb), yb)  #-!
        loss = nn.functional.cross_entropy(model(xb), yb)  #+
        opt.zero_grad()
        loss.backward()  #-!
        loss.backward()  #+
        opt.step()
