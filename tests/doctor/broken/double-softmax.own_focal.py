import torch
from torch import nn


class Focal(nn.Module):
    def __init__(self, gamma=2.0):
        super().__init__()
        self.gamma = gamma

    def forward(self, x, y):
        logp = torch.log_softmax(x, -1)  #!
        p = logp.gather(1, y[:, None]).squeeze(1)
        return -((1 - p.exp()) ** self.gamma * p).mean()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(net.parameters(), 5e-3)
crit = Focal()
for _ in range(30):
    x = torch.randn(32, 8)
    out = net(x).softmax(1)  #-!
    out = net(x)  #+
    loss = crit(out, x[:, :4].argmax(1))
    opt.zero_grad(); loss.backward(); opt.step()
