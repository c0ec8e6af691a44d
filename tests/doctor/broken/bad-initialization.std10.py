import torch
import torch.nn as nn
torch.manual_seed(0)
class MLP(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.ls = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        for l in self.ls:
            nn.init.normal_(l.weight, mean=0.0, std=10.0)  #-!
            nn.init.xavier_normal_(l.weight)  #+
    def forward(self, x):
        for l in self.ls[:-1]:
            x = torch.tanh(l(x))
        return self.ls[-1](x)
net = MLP([6, 40, 40, 3])
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for i in range(50):
    x = torch.randn(64, 6)
    y = x[:, :3].argmax(1)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
