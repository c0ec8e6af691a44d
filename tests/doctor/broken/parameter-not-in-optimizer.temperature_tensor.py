import torch
import torch.nn.functional as F
from torch import nn


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.img = nn.Linear(12, 8)
        self.txt = nn.Linear(6, 8)
        self.scale = torch.tensor(1.0, requires_grad=True)  #-!
        self.scale = nn.Parameter(torch.tensor(1.0))  #+

    def forward(self, a, b):
        a, b = F.normalize(self.img(a), dim=1), F.normalize(self.txt(b), dim=1)
        return self.scale.exp() * a @ b.T


torch.manual_seed(0)
model = Clip()
opt = torch.optim.Adam(model.parameters(), lr=3e-3)  #!
W1, W2 = torch.randn(4, 12), torch.randn(4, 6)
for _ in range(50):
    s = torch.randn(32, 4)
    logits = model(s @ W1, s @ W2)
    target = torch.arange(32)
    loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
