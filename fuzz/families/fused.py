"""Programs that compiled code joins into loops: sums, broadcasts, rows by number, products.

A function of some leaves is run as it is and compiled, with gradients taken outside and inside of
it; always by machine code, and with lengths around those of its vectors.
"""

from __future__ import annotations

import math
import random
from typing import Any

import chainrule

from ..script import Script, code_generation, compare, shown

WEIGHT = 2
SIZES = (1, 2, 3, 5, 8, 16, 17, 33, 64)
LARGE = (7, 31, 128, 200, 257, 600)  # so that threads share loops, sums and products
MOST = {SIZES: 1 << 15, LARGE: 1 << 19}  # elements of a variable
Shape = tuple[int, ...]
UNARY = (
    "{a}.tanh()", "{a}.sigmoid()", "{a}.cos()", "-{a}", "{a} * 0.5", "{a}.relu()", "{a}.abs()",
    "F.leaky_relu({a}, 0.2)", "F.gelu({a})", "F.silu({a})", "{a}.tanh().exp()", "{a}.square()",
    "{a}.clamp(-0.7, 0.9)", "{a}.masked_fill({a} > 0.6, 0.25)", "{a}.clone()",
    "torch.where({a} > 0.13, {a}, {a}.sin())", "({a} > 0.21).to({a}.dtype) * {a}",
    "{a}.detach() * {a}", "{a}.flip(0)", "{a} / ({a}.abs() + 1)", "F.softplus({a})",
    "torch.zeros_like({a}) + {a}", "{a}.double().to({a}.dtype)", "F.elu({a})",
)  # fmt: skip
ROWS = (  # along the last axis
    "{a}.softmax(-1)", "{a}.log_softmax(-1) * 0.1", "F.layer_norm({a}, {a}.shape[-1:])",
    "{a} - {a}.amax(-1, keepdim=True)", "{a} / ({a}.square().sum(-1, keepdim=True) + 1)",
    "{a} - {a}.mean(-1, keepdim=True)", "{a}.cumsum(-1) * 0.1", "F.normalize({a}, dim=-1)",
    "{a} - {a}.detach().max()", "{a} * {a}.std(-1, keepdim=True, correction=0)",
    "{a}.softmax(0)", "{a} - {a}.mean(0)", "{a} / ({a}.norm() + 1)", "{a}.sort(-1).values",
    "{a} + {a}.logsumexp(-1, keepdim=True)", "F.dropout({a}, 0.0)", "{a}.roll(1, -1)",
)  # fmt: skip
BINARY = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} * {b}", "{a} / ({b}.abs() + 1)",
    "torch.maximum({a}, {b})", "torch.where({b} > 0.17, {a}, {b})", "torch.lerp({a}, {b}, 0.3)",
    "torch.addcmul({a}, {b}, {b}, value=0.3)",
)  # fmt: skip


class Maker:
    """Lines of a function, and the shapes of its variables."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        sizes = LARGE if rng.random() < 0.1 else SIZES
        self.most = MOST[sizes]
        self.n, self.h, self.d, self.e = (rng.choice(sizes) for _ in range(4))
        dims = (self.n, self.h, self.d, self.e)
        self.shapes: dict[str, Shape] = {}
        self.lines: list[str] = []
        self.numbers: dict[str, tuple[int, int]] = {}  # index vectors: (length, bound)
        for k in range(rng.randint(2, 4)):
            shape = tuple(rng.choices(dims, k=rng.choice([1, 2, 2, 3, 3])))
            self.shapes[f"x{k}"] = shape if math.prod(shape) <= self.most else shape[:2]
        self.leaves = list(self.shapes)

    def pick(self) -> str:
        names = list(self.shapes)
        return self.rng.choices(names, [k + 2 for k in range(len(names))])[0]

    def add(self, text: str, shape: Shape) -> None:
        if math.prod(shape) > self.most:
            return
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.shapes[name] = shape

    def step(self) -> None:
        kinds = [
            self.unary, self.rows, self.binary, self.binary, self.total, self.total, self.weigh,
            self.gather, self.scatter, self.move, self.product, self.join,
        ]  # fmt: skip
        self.rng.choice(kinds)()

    def unary(self) -> None:
        a = self.pick()
        self.add(self.rng.choice(UNARY).format(a=a), self.shapes[a])

    def rows(self) -> None:
        a = self.pick()
        if self.shapes[a]:
            self.add(self.rng.choice(ROWS).format(a=a), self.shapes[a])

    def binary(self) -> None:
        a = self.pick()
        fitting = [b for b, s in self.shapes.items() if _joint(s, self.shapes[a]) is not None]
        b = self.rng.choice(fitting)
        pair = {"a": a, "b": b} if self.rng.random() < 0.5 else {"a": b, "b": a}
        shape = _joint(self.shapes[a], self.shapes[b])
        assert shape is not None
        self.add(self.rng.choice(BINARY).format(**pair), shape)

    def total(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        dims = sorted(self.rng.sample(range(len(shape)), self.rng.randint(1, len(shape))))
        if self.rng.random() < 0.5:
            dims = [len(shape) - 1]
        keep = self.rng.random() < 0.4
        how = self.rng.choice(["sum", "sum", "mean", "amax", "logsumexp"])
        kept = tuple(1 if i in dims else n for i, n in enumerate(shape) if keep or i not in dims)
        scale = " * 0.2" if how == "sum" else ""
        self.add(f"{a}.{how}({tuple(dims)}, keepdim={keep}){scale}", kept)

    def weigh(self) -> None:
        """Something by its own sum over the last axis."""
        a = self.pick()
        shape = self.shapes[a]
        if len(shape) < 2:
            return
        self.add(f"{a}.sum(-1).tanh()", shape[:-1])
        name = list(self.shapes)[-1]
        others = [
            b for b, s in self.shapes.items() if len(s) == len(shape) and s[:-1] == shape[:-1]
        ]
        b = self.rng.choice(others)
        self.add(f"{b} * {name}.unsqueeze(-1)", self.shapes[b])

    def index(self, count: int, bound: int) -> str:
        known = [i for i, kind in self.numbers.items() if kind == (count, bound)]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        name = f"i{len(self.numbers)}"
        self.numbers[name] = (count, bound)
        return name

    def gather(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        axis = self.rng.choice([0, 0, len(shape) - 1])
        i = self.index(self.rng.choice([self.e, self.n, 3]), shape[axis])
        text = self.rng.choice(
            [f"{a}.index_select({axis}, {i})", f"{a}[{i}]", f"F.embedding({i}, {a})"]
        )
        if axis or (text.startswith("F.") and len(shape) != 2):
            text = f"{a}.index_select({axis}, {i})"
        self.add(text, (*shape[:axis], self.numbers[i][0], *shape[axis + 1 :]))

    def scatter(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        rows = self.rng.choice([self.n, self.e, 4])
        i = self.index(shape[0], rows)
        target = f"torch.zeros({rows}, *{a}.shape[1:], dtype={a}.dtype)"
        same = [b for b, s in self.shapes.items() if s == (rows, *shape[1:])]
        if same and self.rng.random() < 0.5:
            target = self.rng.choice(same)
        text = self.rng.choice([
            f"{target}.index_add(0, {i}, {a})", f"{target}.index_put(({i},), {a}, accumulate=True)",
            f"{target}.scatter_add(0, {i}.view(-1, *[1] * {len(shape) - 1}).expand_as({a}), {a})",
        ])  # fmt: skip
        self.add(f"({text}) * 0.5", (rows, *shape[1:]))

    def move(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        kind = self.rng.randrange(6)
        if kind == 0 and len(shape) > 1:
            self.add(f"{a}.transpose(0, -1)", (shape[-1], *shape[1:-1], shape[0]))
        elif kind == 1 and len(shape) > 1:
            self.add(f"{a}.flatten(-2)", (*shape[:-2], shape[-2] * shape[-1]))
        elif kind == 2 and len(shape) < 4:
            self.add(f"{a}.unsqueeze(-1)", (*shape, 1))
        elif kind == 3 and shape[0] > 2:
            self.add(f"{a}[1:-1]", (shape[0] - 2, *shape[1:]))
        elif kind == 4 and len(shape) < 4:
            self.add(f"{a}.unsqueeze(0).expand(3, {'-1, ' * len(shape)})", (3, *shape))
        elif shape[-1] > 1:
            self.add(f"{a}[..., ::2]", (*shape[:-1], -(-shape[-1] // 2)))

    def product(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if len(shape) < 2:
            return
        others = [b for b, s in self.shapes.items() if len(s) == 2 and s[1] == shape[-1]]
        if others:
            b = self.rng.choice(others)
            self.add(f"F.linear({a}, {b}) * 0.2", (*shape[:-1], self.shapes[b][0]))

    def join(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        others = [b for b, s in self.shapes.items() if shape and s[1:] == shape[1:] and s]
        if others:
            b = self.rng.choice(others)
            self.add(f"torch.cat([{a}, {b}])", (shape[0] + self.shapes[b][0], *shape[1:]))


def _joint(a: Shape, b: Shape) -> Shape | None:
    """The shape two shapes broadcast to."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    shorter = (1,) * (len(longer) - len(shorter)) + shorter
    if any(m != n and 1 not in (m, n) for m, n in zip(longer, shorter, strict=True)):
        return None
    return tuple(max(m, n) for m, n in zip(longer, shorter, strict=True))


def generate(seed: int) -> Script:
    rng = random.Random(f"fused {seed}")
    maker = Maker(rng)
    for _ in range(rng.randint(3, 18)):
        maker.step()
    dtype = rng.choice(["float32", "float32", "float64"])
    leaves = [f"{x} = (torch.randn({list(maker.shapes[x])}, dtype=torch.{dtype}) * 0.7)"
              f".requires_grad_({k == 0 or rng.random() < 0.8})"
              for k, x in enumerate(maker.leaves)]  # fmt: skip
    numbers = [f"{i} = torch.randint({rng.choice([0, 0, -bound])}, {bound}, ({count},))"
               for i, (count, bound) in maker.numbers.items()]  # fmt: skip
    used = list(maker.shapes)[len(maker.leaves) :] or maker.leaves
    results = rng.sample(used, min(len(used), rng.randint(1, 3)))
    names, many = ", ".join([*maker.leaves, *maker.numbers]), len(maker.leaves)
    body = "\n".join(f"    {line}" for line in maker.lines)
    return Script("fused", seed, (
        "\n".join([f"F = torch.nn.functional; torch.manual_seed({seed % 997})", *leaves, *numbers]),
        f"def f({names}):\n{body}\n    return [{', '.join(results)}]",
        f"def step({names}):\n    results = f({names})\n"
        "    loss = sum((r * r.detach().tanh()).sum() for r in results)\n"
        f"    wanted = [x for x in ({names},)[:{many}] if x.requires_grad]\n"
        "    return [loss, *torch.autograd.grad(loss, wanted, allow_unused=True)]",
        f"g, whole = compiled(f), compiled(step)\nfor _ in range(4):\n"
        f"    outside, inside = g({names}), whole({names})",
        "show(lambda: outside)\nshow(lambda: inside)",
        "loss = sum((r * r.detach().tanh()).sum() for r in outside)\n"
        f"show(lambda: torch.autograd.grad(loss, [x for x in ({names},)[:{many}] "
        "if x.requires_grad], allow_unused=True))",
    ))  # fmt: skip


def check(script: Script, torch: Any = chainrule, **ways: Any) -> str:
    """Compiled code must do as eager code does, to rounding."""
    want = shown(script, {"torch": torch, "compiled": lambda f: f}, _flags)
    with code_generation(True):
        got = shown(script, {"torch": torch, "compiled": torch.compile}, _flags)
    double = "torch.float64" in script.text()
    compare("compiled", got, want, *((1e-7, 1e-9) if double else (2e-3, 2e-4)))
    return "ok"


def _flags(tensor: Any) -> tuple[Any, ...]:
    return (tensor.requires_grad,)
