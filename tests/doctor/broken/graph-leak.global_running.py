import torch
import torch.nn as nn
total = torch.zeros(1)
def train_batch(net, opt, x, y):
    global total
    opt.zero_grad()
    out = net(x)
    loss = nn.functional.cross_entropy(out, y)
    loss.backward()
    opt.step()
    total += loss  #-!
    total += loss.detach()  #+
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(60):
    x = torch.randn(16, 6)
    train_batch(net, opt, x, (x[:, 0] > 0).long())
print(total.item() / 60)
