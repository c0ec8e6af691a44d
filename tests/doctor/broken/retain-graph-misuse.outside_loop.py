import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(20, 3), torch.randn(20, 1)
output = model(x)  #-
for _ in range(10):
    output = model(x)  #+
    opt.zero_grad()
    loss = (output.tanh() - y).square().mean()
    loss.backward()  #!
    opt.step()
