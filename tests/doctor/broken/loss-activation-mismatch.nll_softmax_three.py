import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = nn.NLLLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(99, 4)
y = x[:, :3].argmax(1)
for _ in range(30):
    out = torch.softmax(net(x), dim=1)  #-!
    out = torch.log_softmax(net(x), dim=1)  #+
    loss = criterion(out, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
