import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f1 = nn.Linear(5, 20)
        self.f2 = nn.Linear(20, 1)

    def forward(self, x):
        h = torch.exp(self.f1(x))
        h.data.clamp_(max=2.0)  #-!
        h = h.clamp(max=2.0)  #+
        return self.f2(h)


model = Net()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
