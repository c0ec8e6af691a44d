import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(4, 32),
    nn.Sigmoid(),  #-!
    nn.Sigmoid(),  #+
    nn.Linear(32, 32),
    nn.Sigmoid(),  #-!
    nn.Sigmoid(),  #+
    nn.Linear(32, 2),
)
for m in model:
    if isinstance(m, nn.Linear) and m.out_features == 32:
        m.bias.data.fill_(12.0)  #-!
        m.bias.data.fill_(0.0)  #+
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
X = torch.randn(256, 4)
y = (X[:, 0] > X[:, 1]).long()
for e in range(40):
    loss = nn.functional.cross_entropy(model(X), y)  #-!
    loss = nn.functional.cross_entropy(model(X), y)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
