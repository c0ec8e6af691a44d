import torch
import torch.nn as nn
class Prompt(nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.prompt = torch.zeros(1, 8, requires_grad=True)  #-!
        self.prompt = nn.Parameter(torch.zeros(1, 8))  #+
    def forward(self, x): return self.base(x + self.prompt)
torch.manual_seed(0)
m = Prompt(nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)))
opt = torch.optim.Adam(m.parameters(), lr=1e-2)  #-!
opt = torch.optim.Adam(m.parameters(), lr=1e-2)  #+
for i in range(25):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(m(x), (x[:, 0] > 0).long())
    opt.zero_grad(); loss.backward(); opt.step()
