import torch
from torch import nn

torch.manual_seed(0)


class CenterLoss(nn.Module):
    def __init__(self, classes, dim):
        super().__init__()
        self.centers = nn.Parameter(torch.randn(classes, dim))

    def forward(self, f, y):
        return (f - self.centers[y]).pow(2).sum(1).mean()


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
        self.cls = nn.Linear(4, 3)

    def forward(self, x):
        f = self.feat(x)
        return f, self.cls(f)


model, center = Model(), CenterLoss(3, 4)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)  #-!
opt = torch.optim.Adam([{"params": model.parameters()}, {"params": center.parameters(), "lr": 0.1}], lr=1e-3)  #+
for i in range(15):
    x = torch.randn(24, 10)
    y = x[:, :3].argmax(1)
    f, logits = model(x)
    loss = nn.functional.cross_entropy(logits, y) + 0.1 * center(f, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
