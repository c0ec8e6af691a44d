import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(8, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
    nn.Sigmoid(),  #-!
)
x = torch.randn(150, 8)
y = (x[:, 0] > 0).float().unsqueeze(1)
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for _ in range(40):
    loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
