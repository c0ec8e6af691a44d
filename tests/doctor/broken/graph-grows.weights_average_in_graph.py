import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Linear(6, 2)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
avg = torch.zeros(2, 6)
for i in range(25):
    x = torch.randn(32, 6)
    y = (x[:, 0] > 0).long()
    avg = 0.9 * avg + 0.1 * net.weight  #-!
    avg = 0.9 * avg.detach() + 0.1 * net.weight  #+
    loss = nn.functional.cross_entropy(net(x), y) + 0.01 * (net.weight - avg).pow(2).sum()
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
