import torch
import torch.nn as nn
torch.manual_seed(0)
x = torch.randn(50, 3)
y = 2 * x.sum(1, keepdim=True)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
loss = ((model(x) - y) ** 2).mean()  #-
for i in range(20):
    loss = ((model(x) - y) ** 2).mean()  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
