import torch
import torch.nn as nn


class MultiTask(nn.Module):
    def __init__(self, tasks=("a", "b")):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.heads = {t: nn.Linear(16, 1) for t in tasks}  #-!
        self.heads = nn.ModuleDict({t: nn.Linear(16, 1) for t in tasks})  #+

    def forward(self, x):
        z = self.trunk(x)
        return {k: h(z) for k, h in self.heads.items()}


torch.manual_seed(0)
m = MultiTask()
opt = torch.optim.Adam(m.parameters(), lr=1e-2)  #!
for s in range(30):
    x = torch.randn(32, 8)
    out = m(x)
    loss = (out["a"] - x[:, :1]).pow(2).mean() + (out["b"] - x[:, 1:2]).abs().mean()
    opt.zero_grad(); loss.backward(); opt.step()
