import torch
from torch import nn

torch.manual_seed(0)


class AttnPool(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.score = nn.Linear(d, 1)
        self.cls = nn.Linear(d, 2)

    def forward(self, x):  # (batch, time, d)
        a = torch.softmax(self.score(x), dim=0)  #-!
        a = torch.softmax(self.score(x), dim=1)  #+
        return self.cls((a * x).sum(1))


model = AttnPool(6)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    x = torch.randn(20, 7, 6)
    y = (x[:, :, 0].mean(1) > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
