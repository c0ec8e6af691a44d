import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self, n=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(12, 12) for _ in range(n))
        self.out = nn.Linear(12, 4)

    def forward(self, x):
        for l in self.layers:
            x = torch.relu(l(x))
        return self.out(x)


torch.manual_seed(0)
net = Deep()
net = net.to(torch.float16)  #-!
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(512, 12)
y = x[:, :4].argmax(1)
x = x.half()  #-
for _ in range(30):
    logits = net(x)
    per_sample = nn.functional.cross_entropy(logits, y, reduction="none")
    loss = (per_sample / 65000).mean()  #-!
    loss = per_sample.mean()  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
