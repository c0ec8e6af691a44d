import torch
import torch.nn as nn
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.l1 = nn.Linear(d, 4 * d)
        self.l2 = nn.Linear(4 * d, d)
        self.norm = nn.LayerNorm(d)  #+
    def forward(self, x):
        return x + 6 * self.l2(torch.relu(self.l1(x)))  #-!
        return x + self.l2(torch.relu(self.l1(self.norm(x))))  #+
model = nn.Sequential(nn.Linear(8, 32), *[Block(32) for _ in range(12)], nn.Linear(32, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.001)
for s in range(30):
    x = torch.randn(32, 8)
    y = x[:, :1]
    loss = (model(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
