import torch
import torch.nn as nn
class Deep(nn.Module):
    def __init__(self, width=16, depth=3):
        super().__init__()
        self.inp = nn.Linear(2, width)
        self.layers = [nn.Linear(width, width) for _ in range(depth)]  #-!
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])  #+
        self.out = nn.Linear(width, 1)
    def forward(self, x):
        x = torch.relu(self.inp(x))
        for l in self.layers:
            x = torch.relu(l(x)) + x
        return self.out(x)

def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), lr=1e-3)  #-!
    return torch.optim.Adam(m.parameters(), lr=1e-3)  #+

torch.manual_seed(0)
model = Deep()
opt = build_optimizer(model)
for i in range(50):
    x = torch.rand(64, 2)
    y = torch.sin(x.sum(1, keepdim=True) * 3)
    loss = ((model(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
