import torch
import torch.nn as nn

torch.manual_seed(0)


class Head(nn.Module):
    def __init__(self, d, c):
        super().__init__()
        self.w = nn.Parameter(torch.randn(c, d) * 30)  #-!
        self.w = nn.Parameter(torch.randn(c, d) * d ** -0.5)  #+

    def forward(self, x):
        return x @ self.w.t()


model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), Head(64, 64), nn.ReLU(), Head(64, 5))
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
for i in range(40):
    x = torch.randn(32, 10)
    y = x[:, :5].argmax(1)
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
