import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(200, 8)
y = x[:, 4:].argmax(1)
for i in range(30):
    idx = torch.randint(0, 200, (40,))
    logp = F.log_softmax(net(x[idx]), dim=0)  #-!
    logp = F.log_softmax(net(x[idx]), dim=1)  #+
    loss = F.nll_loss(logp, y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
