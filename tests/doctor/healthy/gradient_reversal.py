import torch
from torch import nn


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.scale * g, None


torch.manual_seed(0)
feat, cls, dom = nn.Linear(8, 16), nn.Linear(16, 2), nn.Linear(16, 2)
opt = torch.optim.SGD([*feat.parameters(), *cls.parameters(), *dom.parameters()], lr=0.05)
for i in range(20):
    xs, xt = torch.randn(16, 8), torch.randn(16, 8) + 0.5
    fs, ft = torch.relu(feat(xs)), torch.relu(feat(xt))
    loss = nn.functional.cross_entropy(cls(fs), (xs[:, 0] > 0).long())
    d = dom(Reverse.apply(torch.cat([fs, ft]), 0.3))
    loss = loss + nn.functional.cross_entropy(d, torch.cat([torch.zeros(16), torch.ones(16)]).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
