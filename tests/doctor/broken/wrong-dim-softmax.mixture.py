import torch
import torch.nn as nn


class MoE(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.gate = nn.Linear(6, n)
        self.experts = nn.ModuleList(nn.Linear(6, 2) for _ in range(n))

    def forward(self, x):
        w = torch.softmax(self.gate(x), dim=0)  #-!
        w = torch.softmax(self.gate(x), dim=-1)  #+
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return (w.unsqueeze(-1) * outs).sum(1)


torch.manual_seed(0)
m = MoE()
opt = torch.optim.RAdam(m.parameters(), lr=1e-2)
for _ in range(30):
    x = torch.randn(40, 6)
    y = torch.stack([x[:, 0].abs(), x[:, 1]], 1)
    loss = nn.functional.mse_loss(m(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
