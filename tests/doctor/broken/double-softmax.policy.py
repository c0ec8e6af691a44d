import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, s):
        return self.fc(s).softmax(-1)  #-
        return self.fc(s)  #+


torch.manual_seed(0)
policy = Policy()
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
for _ in range(15):
    s = torch.randn(20, 4)
    p = torch.softmax(policy(s), dim=-1)  #!
    a = torch.multinomial(p, 1)
    reward = (a[:, 0] == s[:, :3].argmax(1)).float()
    loss = -(p.gather(1, a).squeeze(1).log() * (reward - 0.3)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
