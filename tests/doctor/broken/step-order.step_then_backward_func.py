import torch
import torch.nn as nn
def update(model, optimizer, loss):
    optimizer.step()  #-!
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()  #+
torch.manual_seed(0)
m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), lr=0.05)
for i in range(25):
    x = torch.randn(10, 4)
    update(m, o, (m(x) - x.sum(1, keepdim=True)).abs().mean()) #
