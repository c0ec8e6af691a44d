import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(64, 10), torch.randint(0, 2, (64,))
for epoch in range(15):
    opt.zero_grad()  #+
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.zero_grad()  #-!
    opt.step()
