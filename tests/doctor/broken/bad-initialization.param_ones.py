import torch
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.w1 = nn.Parameter(torch.ones(d, 16))  #-!
        self.w1 = nn.Parameter(torch.randn(d, 16) / d**0.5)  #+
        self.w2 = nn.Parameter(torch.ones(16, 2))  #-!
        self.w2 = nn.Parameter(torch.randn(16, 2) / 4)  #+

    def forward(self, x):
        return torch.relu(x @ self.w1) @ self.w2


model = Attention()
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(40):
    x = torch.randn(64, 8)
    y = (x[:, 0] > x[:, 1]).long()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
