import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(10, 20), nn.Linear(20, 5)

    def forward(self, x):
        return F.log_softmax(self.b(torch.tanh(self.a(x))), 0)  #-!
        return F.log_softmax(self.b(torch.tanh(self.a(x))), -1)  #+


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.randn(30, 10)
    loss = F.nll_loss(net(x), x[:, :5].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
