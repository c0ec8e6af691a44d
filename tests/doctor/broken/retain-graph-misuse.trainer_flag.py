import torch
import torch.nn as nn
class Trainer:
    def __init__(self, net, opt, retain=True):  #-
    def __init__(self, net, opt, retain=False):  #+
        self.net, self.opt, self.retain = net, opt, retain
    def train_step(self, x, y):
        loss = nn.functional.mse_loss(self.net(x), y)
        self.opt.zero_grad()
        loss.backward(retain_graph=self.retain)  #!
        self.opt.step()
        return loss.item()
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
t = Trainer(net, torch.optim.Adam(net.parameters(), lr=1e-2))
for _ in range(40):
    x = torch.randn(32, 4)
    t.train_step(x, x[:, :1])
