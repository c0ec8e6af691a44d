import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Linear(4, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    x = torch.randn(16, 4)
    h = model(x)
    h = torch.exp(h)
    h += 1  #-!
    h = h + 1  #+
    loss = torch.log(h).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
