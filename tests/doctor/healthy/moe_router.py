import torch
from torch import nn


class MoE(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        p = torch.softmax(self.gate(x), -1)
        w, k = p.topk(2, -1)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            hit = (k == e).any(-1)
            if hit.any():
                out[hit] = out[hit] + expert(x[hit]) * w[hit][k[hit] == e][:, None]
        return out, p.mean(0).pow(2).sum() * 4


torch.manual_seed(0)
m, head = MoE(), nn.Linear(8, 3)
opt = torch.optim.Adam([*m.parameters(), *head.parameters()], 3e-3)
for _ in range(40):
    x = torch.randn(64, 8)
    h, aux = m(x)
    loss = nn.functional.cross_entropy(head(h), x[:, :3].argmax(1)) + 0.01 * aux
    opt.zero_grad()
    loss.backward()
    opt.step()
