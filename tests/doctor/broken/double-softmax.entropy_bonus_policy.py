import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 32),
    nn.ReLU(),
    nn.Linear(32, 5),
    nn.Softmax(dim=-1),  #-!
)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(40):
    x = torch.randn(40, 6)
    y = x[:, :5].argmax(1)
    logp = net(x).log_softmax(-1)  #!
    loss = -logp[range(40), y].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
