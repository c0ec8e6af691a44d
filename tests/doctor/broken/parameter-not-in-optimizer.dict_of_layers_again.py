import torch
import torch.nn as nn
class MultiTask(nn.Module):
    def __init__(self, tasks):
        super().__init__()
        self.trunk = nn.Linear(8, 16)
        self.heads = {t: nn.Linear(16, 1) for t in tasks}  #-!
        self.heads = nn.ModuleDict({t: nn.Linear(16, 1) for t in tasks})  #+
    def forward(self, x, t):
        return self.heads[t](torch.relu(self.trunk(x)))
torch.manual_seed(0)
net = MultiTask(["a", "b"])
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
for i in range(40):
    x = torch.randn(32, 8)
    loss = (net(x, "a") - x[:, :1]).pow(2).mean() + (net(x, "b") - x[:, 1:2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
