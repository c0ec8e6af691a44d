import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, use_attention=False):
        super().__init__()
        self.use_attention = use_attention
        self.attn = nn.MultiheadAttention(8, 2, batch_first=True)  #!
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        if self.use_attention:
            x = x + self.attn(x, x, x, need_weights=False)[0]
        return self.fc(x.mean(1))


torch.manual_seed(0)
net = Net()  #-
net = Net(use_attention=True)  #+
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
for _ in range(30):
    x = torch.randn(16, 5, 8)
    loss = (net(x) - x[:, 0, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
