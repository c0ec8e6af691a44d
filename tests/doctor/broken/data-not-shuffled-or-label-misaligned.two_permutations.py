import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(100, 5)
y = (x[:, 0] > 0).long()
order = torch.randperm(100)  #+
x = x[torch.randperm(100)]  #-
y = y[torch.randperm(100)]  #-!
x, y = x[order], y[order]  #+
model = nn.Linear(5, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    for i in range(0, 100, 20):
        loss = nn.functional.cross_entropy(model(x[i : i + 20]), y[i : i + 20])
        opt.zero_grad()
        loss.backward()
        opt.step()
