import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(64, 5)
y = x[:, :1] * 2 - 1
for epoch in range(10):
    opt.zero_grad()
    loss = nn.functional.mse_loss(torch.sigmoid(model(x)), torch.sigmoid(y))
    loss.backward()
    reg = 0.01 * model.weight.pow(2).sum()
    (loss + reg).backward()  #-!
    reg.backward()  #+
    opt.step()
