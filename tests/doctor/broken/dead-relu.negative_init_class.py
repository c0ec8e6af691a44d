import torch
import torch.nn as nn
class Block(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)
        self.act = nn.ReLU()
        self.lin.bias.data -= 8.0  #-!
    def forward(self, x): return self.act(self.lin(x))  #!
torch.manual_seed(0)
net = nn.Sequential(Block(10, 32), Block(32, 32), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(30):
    x = torch.randn(64, 10)
    y = (x[:, 0] > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
