import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(5, 16), nn.ReLU())
head = nn.Linear(16, 1)
optimizer = torch.optim.SGD(head.parameters(), lr=0.05)  #-!
optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.05)  #+
for _ in range(12):
    x = torch.randn(32, 5)
    loss = (head(backbone(x)) - x.norm(dim=1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
