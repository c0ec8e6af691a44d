import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base, r=4):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(r, base.in_features) * 0.05)
        self.b = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T


torch.manual_seed(0)
m = nn.Sequential(LoRA(nn.Linear(10, 16)), nn.ReLU(), LoRA(nn.Linear(16, 4)))
opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-2)
for _ in range(80):
    x = torch.randn(64, 10)
    loss = nn.functional.cross_entropy(m(x), x[:, :4].argmax(1))
    opt.zero_grad(); loss.backward(); opt.step()
