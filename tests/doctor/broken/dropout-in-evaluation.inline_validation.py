import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(200, 6)
Y = (X[:, 0] * X[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Dropout(0.4), nn.Linear(48, 2))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for epoch in range(6):
    net.train()
    for i in range(0, 150, 30):
        loss = nn.functional.cross_entropy(net(X[i : i + 30]), Y[i : i + 30])
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()  #+
    with torch.no_grad():  #!
        val_out = net(X[150:])  #!
        val_acc = (val_out.argmax(1) == Y[150:]).float().mean().item()
    print(epoch, val_acc)
