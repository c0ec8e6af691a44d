"""Models and functions to be traced; PyTorch's graphs of them are in tests/recorded/fx.json.

Each program takes the library and returns (root, inputs, concrete_args).
"""

import math
import operator
from typing import Any


def mlp(torch: Any) -> Any:
    nn = torch.nn
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), (torch.randn(5, 3),), None


def functions(torch: Any) -> Any:
    def f(x, y):
        a = torch.relu(x) + torch.sigmoid(y) * 2
        b = torch.nn.functional.relu(a, inplace=False)
        c = torch.cat([a, b], dim=1).sum(dim=1, keepdim=True)
        d = torch.matmul(x, y.t()) - c / 3.0
        return torch.nn.functional.gelu(d), -d, 1 - d

    return f, (torch.randn(3, 4), torch.randn(3, 4)), None


def operators(torch: Any) -> Any:
    def f(x, y):
        z = x // 2 + x % 3 - (x**2) * (2**y)
        w = (x > y) & (x <= 3)
        v = ~w | (y == 2)
        return z @ y.transpose(0, 1), w ^ v, abs(x), x != y, x < 0, x >= 0, -x, +x

    return f, (torch.randn(3, 3), torch.rand(3, 3)), None


def methods(torch: Any) -> Any:
    def f(x):
        n = x.shape[0]
        y = x.view(n, -1).relu().sum(-1)
        z = x.size(0)
        w = x.permute(1, 0).contiguous()[0, 1:]
        return y.reshape(z, 1), w.mean(), x.dtype, x.ndim

    return f, (torch.randn(4, 6),), None


def residual(torch: Any) -> Any:
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(width)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(width, width, 3, padding=1)

        def forward(self, x):
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.conv2(out)
            out += x
            return self.relu(out)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Conv2d(3, 4, 1)
            self.layers = nn.Sequential(Block(4), Block(4))
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            x = self.layers(self.stem(x))
            x = torch.nn.functional.adaptive_avg_pool2d(x, (1, 1))
            x = torch.flatten(x, 1)
            return {"logits": self.head(x), "features": x}

    return Net().eval(), (torch.randn(2, 3, 5, 5),), None


def attributes(torch: Any) -> Any:
    nn = torch.nn

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.randn(3))
            self.register_buffer("offset", torch.ones(3))
            self.table = nn.ParameterList([nn.Parameter(torch.randn(3))])

        def forward(self, x, scale=2.0, *, shift: int = 1):
            return x * self.weight * scale + self.offset + self.table[0] + shift

    return Scaled(), (torch.randn(2, 3),), None


def constants(torch: Any) -> Any:
    table = torch.ones(3)

    def f(x):
        return x + table + torch.tensor([1.0, 2.0, 3.0]), x.new_zeros(3), torch.ones(3) * x

    return f, (torch.randn(3),), None


def variadic(torch: Any) -> Any:
    def f(x, *rest, **named):
        return x + rest[0] + named["y"]

    return f, None, None


def concrete(torch: Any) -> Any:
    def f(x, flag, n=3):
        if flag:
            return x + n
        return x - n

    return f, (torch.randn(2), True, 5), {"flag": True, "n": 5}


def concrete_tree(torch: Any) -> Any:
    from importlib import import_module

    mark = import_module(f"{torch.__name__}.fx._symbolic_trace").PH

    def f(pair, named):
        return pair[0] + pair[1] * named["a"]

    x = torch.randn(2)
    return f, ((x, x), {"a": x}), {"pair": (mark, mark), "named": {"a": mark}}


def names(torch: Any) -> Any:
    def f(x, max, x_1, class_):  # noqa: A002 - names that nodes cannot have
        a = torch.add(x, x_1)
        b = torch.add(a, 1)
        c = torch.add(b, max)
        d = x.add(2) + class_
        return torch.add(c, d), torch.max(c), torch.sum(d), torch.abs(d)

    x = torch.randn(2)
    return f, (x, x, x, x), None


def unpacked(torch: Any) -> Any:
    def f(x):
        a, b = torch.chunk(x, 2, dim=-1)[0:2][0], x.shape[-1]
        values, places = torch.max(x, dim=1)[0], torch.sort(x)[1]
        return a * b, values, places, x[..., None], x[:, 0], x[0:2, ::2]

    return f, (torch.randn(4, 6),), None


def nested_arguments(torch: Any) -> Any:
    def f(x, y):
        z = torch.stack([x, y, x + y], 0)
        return torch.einsum("bi,bj->ij", x, y), torch.where(x > 0, x, y), [z, {"k": (x, None)}]

    return f, (torch.randn(2, 3), torch.randn(2, 3)), None


def math_and_len(torch: Any) -> Any:
    def f(x):
        return x * math.sqrt(x.shape[0]) + operator.mul(x, 2) + float("inf") + math.nan

    return f, (torch.randn(4),), None


def attention(torch: Any) -> Any:
    nn = torch.nn

    class SelfAttention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.qkv = nn.Linear(8, 24)
            self.proj = nn.Linear(8, 8)
            self.norm = nn.LayerNorm(8)
            self.drop = nn.Dropout(0.0)

        def forward(self, x, mask=None):
            b, t, c = x.size(0), x.size(1), x.size(2)
            qkv = self.qkv(self.norm(x)).reshape(b, t, 3, 2, c // 2).permute(2, 0, 3, 1, 4)
            q, k, v = qkv[0], qkv[1], qkv[2]
            scores = (q @ k.transpose(-2, -1)) * (4**-0.5)
            weights = torch.softmax(scores, dim=-1)
            y = (weights @ v).transpose(1, 2).reshape(b, t, c)
            return x + self.drop(self.proj(y))

    return SelfAttention(), (torch.randn(2, 3, 8),), {"mask": None}


def functionals(torch: Any) -> Any:
    F = torch.nn.functional

    def f(x, w, target):
        y = F.conv2d(x, w, padding=1)
        y = F.max_pool2d(F.silu(y), 2)
        y = F.interpolate(y, scale_factor=2, mode="nearest")
        y = F.dropout(F.pad(y, (1, 1)), p=0.0, training=True)
        y = F.layer_norm(y, (8,)) + F.avg_pool2d(y, 3, 1, 1)
        z = F.linear(y, torch.ones(2, 8)).mean((1, 2))
        return F.cross_entropy(z, target), F.softmax(z, dim=-1), F.mse_loss(z, z * 2)

    data = torch.randn(2, 3, 6, 6), torch.randn(3, 3, 3, 3), torch.tensor([0, 1])
    return f, data, None


def embedding(torch: Any) -> Any:
    nn = torch.nn

    class Words(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(10, 4)
            self.blocks = nn.ModuleList([nn.Linear(4, 4) for _ in range(2)])
            self.heads = nn.ModuleDict({"a": nn.Linear(4, 2), "b": nn.Linear(4, 3)})

        def forward(self, ids):
            x = self.words(ids)
            for block in self.blocks:
                x = torch.tanh(block(x)) + x
            return tuple(head(x) for head in self.heads.values())

    return Words(), (torch.tensor([[1, 2], [3, 4]]),), None


def special_spaces(torch: Any) -> Any:
    def f(x):
        a = torch.linalg.norm(x, dim=-1)
        b = torch.special.expit(x) + torch.fft.fft(x).real
        return a, b, torch.linalg.inv(x)

    return f, (torch.eye(3) + 0.1,), None


def in_place(torch: Any) -> Any:
    def f(x):
        y = x.clone()
        y.add_(1).mul_(2)
        y += x
        y *= 2
        return torch.relu_(y), y.masked_fill(y > 0, 0.0)

    return f, (torch.randn(3),), None


PROGRAMS = [
    mlp, functions, operators, methods, residual, attributes, constants, variadic, concrete,
    concrete_tree, names, unpacked, nested_arguments, math_and_len, attention, functionals,
    embedding, special_spaces, in_place,
]  # fmt: skip


def trace(torch: Any, program: Any) -> Any:
    """The traced program, the program and its inputs."""
    torch.manual_seed(0)
    root, inputs, concrete_args = program(torch)
    return torch.fx.symbolic_trace(root, concrete_args=concrete_args), root, inputs


def described(torch: Any, program: Any) -> dict[str, str]:
    """What is recorded of a program: code and graph."""
    traced, _, _ = trace(torch, program)
    return {"code": traced.code, "graph": str(traced.graph)}
