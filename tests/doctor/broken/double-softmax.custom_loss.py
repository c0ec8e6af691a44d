import torch
from torch import nn


def soft_cross_entropy(scores, target):
    logp = torch.log_softmax(scores, dim=1)  #!
    return -(target * logp).sum(1).mean()


torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 16),
    nn.ReLU(),
    nn.Linear(16, 3),
    nn.Softmax(dim=1),  #-
)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(15):
    x = torch.randn(32, 6)
    target = nn.functional.one_hot(x[:, :3].argmax(1), 3).float()
    loss = soft_cross_entropy(net(x), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
