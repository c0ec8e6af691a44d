import torch
import torch.nn as nn

torch.manual_seed(0)
body = nn.Linear(8, 16)
head = nn.Linear(16, 1)
opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.001)
for _ in range(25):
    x = torch.randn(64, 8)
    h = torch.tanh(body(x) * 60)  #-!
    h = torch.tanh(body(x))  #+
    target = torch.sin(3 * x[:, :1]) * x[:, 1:2]
    loss = (head(h) - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
