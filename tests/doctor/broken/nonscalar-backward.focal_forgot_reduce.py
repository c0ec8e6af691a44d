import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, logits, y):
        ce = F.cross_entropy(logits, y, reduction="none")  #!
        pt = torch.exp(-ce)
        return (1 - pt) ** self.gamma * ce  #-!
        return ((1 - pt) ** self.gamma * ce).mean()  #+


model = nn.Linear(7, 4)
criterion = FocalLoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(5):
    x, y = torch.randn(12, 7), torch.randint(0, 4, (12,))
    opt.zero_grad()
    criterion(model(x), y).backward()  #!
    opt.step()
