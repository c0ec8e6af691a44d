import torch
import torch.nn as nn
torch.manual_seed(0)
def fresh(): return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
net = fresh()
sgd = torch.optim.SGD(net.parameters(), lr=0.05)  #-!
best_loss = float("inf")
for restart in range(2):
    net = fresh()  #!
    sgd = torch.optim.SGD(net.parameters(), lr=0.05)  #+
    for i in range(25):
        x = torch.randn(16, 4)
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        sgd.zero_grad(); loss.backward(); sgd.step()
    best_loss = min(best_loss, loss.item())
