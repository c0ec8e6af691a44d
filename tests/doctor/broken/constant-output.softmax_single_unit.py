import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 16),
    nn.ReLU(),
    nn.Linear(16, 1),
    nn.Softmax(dim=1),  #-!
    nn.Sigmoid(),  #+
)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(120, 6)
y = (x[:, :1] > 0).float()
for _ in range(40):
    loss = nn.functional.binary_cross_entropy(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
