import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
conv1 = nn.Conv2d(1, 8, 3)
conv2 = nn.Conv2d(8, 8, 3)
fc = nn.Linear(8 * 16, 2)
with torch.no_grad():
    conv2.bias.fill_(-5.0)  #-!
    conv2.bias.fill_(0.0)  #+
params = [*conv1.parameters(), *conv2.parameters(), *fc.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
x = torch.randn(64, 1, 8, 8)
y = (x.mean((1, 2, 3)) > 0).long()
for i in range(30):
    h = F.relu(conv1(x))
    h = F.relu(conv2(h))  #-!
    h = F.relu(conv2(h))  #+
    loss = F.cross_entropy(fc(h.flatten(1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
