import torch
import torch.nn as nn
torch.manual_seed(0)
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(5, 1)
        self.scale = nn.Parameter(torch.ones(1))  #!
    def forward(self, x):
        return self.lin(x) * self.scale.item()  #-!
        return self.lin(x) * self.scale  #+
m = M()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)
for i in range(20):
    x = torch.randn(16, 5)
    l = (m(x) - x.sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad(); l.backward(); opt.step()
