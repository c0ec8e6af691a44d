import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def entropy(scores):
    p = torch.relu(scores)
    p = p / (p.sum(1, keepdim=True) + 1e-6)
    return -(p * p.log()).sum(1).mean()  #-!
    return -(p * (p + 1e-6).log()).sum(1).mean()  #+


for _ in range(10):
    loss = entropy(model(torch.randn(32, 4)))
    opt.zero_grad()
    loss.backward()
    opt.step()
