import torch
from torch import nn


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() < 1)


class BinLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, Sign.apply(self.weight), self.bias)


torch.manual_seed(0)
net = nn.Sequential(BinLinear(8, 32), nn.BatchNorm1d(32), nn.Hardtanh(), BinLinear(32, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(50):
    x = torch.randn(64, 8)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
