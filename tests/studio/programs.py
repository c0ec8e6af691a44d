"""Programs whose documents are compared with the engine: each returns its result and values."""

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


def leaf(*shape, dtype=torch.float64, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=dtype, generator=generator).requires_grad_()


def scalars():
    x, w, b = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (2.0, 3.0, 1.0))
    z = x * w + b
    s = z.sin()
    y = s * z - (x / z).exp() + z.sqrt()
    return y, [x, w, b, z, s]


def cancelling():
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    u = x * x
    y = 3 * u - 3 * u + x
    return y, [x, u]


def single_precision():
    x, w = leaf(7, dtype=torch.float32), leaf(7, dtype=torch.float32, seed=1)
    h = torch.tanh(x * w)
    return (h * h * x).mean(), [x, w, h]


def broadcasting():
    x, b = leaf(4, 3), leaf(3, seed=1)
    h = (x + b).relu()
    return (h * b).sum(), [x, b, h]


def classifier():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))
    x, target = torch.randn(6, 5), torch.tensor([0, 1, 2, 0, 1, 2])
    hidden = model[1](model[0](x))
    logits = model[2](hidden)
    return F.cross_entropy(logits, target), [*model.parameters(), hidden, logits]


def images():
    torch.manual_seed(4)
    conv, norm = nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3)
    x = torch.randn(2, 2, 6, 6)
    h = conv(x)
    p = F.max_pool2d(norm(h).relu(), 2)
    return (p**2).mean(), [*conv.parameters(), *norm.parameters(), h, p]


def attention():
    q, k, v = leaf(2, 4, 8), leaf(2, 4, 8, seed=1), leaf(2, 4, 8, seed=2)
    scores = q @ k.transpose(1, 2) / 8**0.5
    weights = scores.softmax(-1)
    return (weights @ v).square().sum(), [q, k, v, scores, weights]


def several_outputs():
    x = leaf(6)
    a, b, c = x.chunk(3)
    top = torch.cat([a * b, c]).sort()
    return (top.values * torch.arange(4.0)).sum() + a.sum(), [x, a, c]


def in_place():
    x = leaf(5)
    h = x * 2
    h.mul_(x).add_(1.0)
    y = h * 3
    y[1:3] = x[1:3] * x[0]
    return y.sum(), [x]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


def custom_function():
    x = leaf(4)
    h = Cube.apply(x)
    return (h * x).sum(), [x, h]


def masks():
    x = leaf(3, 4)
    keep = x > 0
    h = torch.where(keep, x, 0.1 * x)
    return h[keep].sum() + h.detach().sum() * x.sum(), [x, h]


def recurrent():
    x, w = leaf(3), leaf(3, 3, seed=1)
    h = x
    for _ in range(5):
        h = torch.tanh(w @ h)
    return h.sum(), [x, w, h]


def unused_paths():
    x, w = leaf(3), leaf(3, seed=1)
    a, b = (x * w).split([1, 2])
    return a.sum() + (b * 0).sum(), [x, w, a]


PROGRAMS = [
    scalars, cancelling, single_precision, broadcasting, classifier, images, attention,
    several_outputs, in_place, custom_function, masks, recurrent, unused_paths,
]  # fmt: skip
