import torch
from torch import nn

torch.manual_seed(0)


class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.o = nn.Linear(8, 1)

    def forward(self, x):
        w = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2), -1)
        keep = (torch.rand(w.shape) > 0.1).float()
        w *= keep  #-!
        w = w * keep  #+
        return self.o(w @ self.v(x)).mean(1)


m = Attn()
opt = torch.optim.AdamW(m.parameters())
for _ in range(10):
    x = torch.randn(4, 6, 8)
    loss = (m(x) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
