import torch
from torch import nn

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))

    def forward(self, s):
        return self.net(s).softmax(0)  #-!
        return self.net(s).softmax(-1)  #+


pi = Policy()
opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
for episode in range(15):
    s = torch.randn(24, 4)
    probs = pi(s)
    a = s[:, :3].argmax(1)
    loss = -torch.log(probs.gather(1, a[:, None])).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
