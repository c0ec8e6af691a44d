"""Random programs as text, one statement a line, that are smooth where they are evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

INPUTS = ("x0", "x1", "x2")


@dataclass
class Program:
    """Statements over the inputs x0, x1, x2; the result is the last line's variable `out`."""

    lines: list[str]
    shapes: dict[str, tuple[int, ...]]
    seed: int
    complex_inputs: bool = False
    kinds: set[str] = field(default_factory=set)

    def text(self) -> str:
        """The body of `def f(torch, x0, x1, x2)`."""
        return "\n".join(self.lines)

    def arrays(self, seed: int | None = None) -> list[np.ndarray]:
        """Input values, away from zero so that logarithms and quotients are tame."""
        rng = np.random.default_rng(self.seed if seed is None else seed)
        made = []
        for name in INPUTS:
            x = rng.uniform(0.4, 1.6, self.shapes[name]) * rng.choice([-1, 1], self.shapes[name])
            if self.complex_inputs:
                x = x + 1j * rng.uniform(0.4, 1.6, self.shapes[name])
            made.append(x.round(3))
        return made

    def smaller(self) -> Iterator[Program]:
        """This program with a line less, then with a term less in the result."""
        for k in reversed(range(len(self.lines) - 1)):
            yield replace(self, lines=self.lines[:k] + self.lines[k + 1 :])
        terms = self.lines[-1].removeprefix("out = ").split(" + ")
        for k in range(len(terms) if len(terms) > 1 else 0):
            rest = " + ".join(terms[:k] + terms[k + 1 :])
            yield replace(self, lines=[*self.lines[:-1], f"out = {rest}"])

    def script(self) -> str:
        """A script that shows the disagreement by itself."""
        used = set(re.findall(r"\bx[012]\b", self.text()))
        arrays = dict(zip(INPUTS, self.arrays(), strict=True))
        lines = ["import chainrule as torch", ""]
        for name in sorted(used):
            values = arrays[name].tolist()
            lines.append(f"{name} = torch.tensor({values}).double().requires_grad_()")
        return "\n".join([*lines, *self.lines, "out.backward()"])


UNARY = (
    "{a}.sin()", "{a}.cos()", "{a}.tanh()", "{a}.sigmoid()", "({a} * {a} + 0.5).sqrt()",
    "({a} * {a} + 0.3).log()", "({a} * 0.3).exp()", "-{a}", "{a} * 0.7", "{a} + 1.3", "2.0 - {a}",
    "1.5 / ({a} * {a} + 1)", "{a} ** 2", "({a} * {a} + 0.2).pow(1.5)", "{a}.square()",
    "torch.where({a} > 0.05, {a} * 2, {a} * 0.5)", "{a}.atan()", "torch.log1p({a} * {a})",
    "torch.nn.functional.softplus({a})", "torch.nn.functional.gelu({a})", "{a}.erf()",
    "{a}.clone()", "torch.logaddexp({a}, {a} * 0.5)", "({a} * {a} + 1).reciprocal()",
)  # fmt: skip
COMPLEX_UNARY = (
    "{a}.sin()", "{a}.exp()", "-{a}", "{a} * (0.7 + 0.2j)", "{a}.conj() * {a}", "{a} ** 2",
    "{a} + (1 - 0.5j)", "{a}.clone()", "{a}.tanh() * 0.1", "1.0 / ({a} + 3)",
)  # fmt: skip
BINARY = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} * {b} + 1)", "torch.hypot({a}, {b} + 2)",
    "torch.atan2({a}, {b} * {b} + 0.5)", "torch.maximum({a}, {b} + 5)", "torch.lerp({a}, {b}, 0.3)",
    "torch.addcmul({a}, {b}, {b}, value=0.5)",
)  # fmt: skip
COMPLEX_BINARY = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} + 4)")


class Writer:
    """Builds one program."""

    def __init__(self, seed: int, length: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.complex = bool(self.rng.random() < 0.12)
        self.lines: list[str] = []
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.fresh: set[str] = set()  # results that own their memory: may be written in place
        self.kinds: set[str] = set()
        self.count = 0
        for name in INPUTS:
            self.shapes[name] = self.shape()
        for _ in range(length):
            self.step()
        self.finish()

    def shape(self) -> tuple[int, ...]:
        return tuple(int(n) for n in self.rng.integers(1, 4, self.rng.integers(1, 4)))

    def pick(self, names: list[str] | None = None) -> str:
        names = names or list(self.shapes)
        weights = np.arange(1, len(names) + 1, dtype=float)  # later results more often
        return str(self.rng.choice(names, p=weights / weights.sum()))

    def add(self, expression: str, shape: tuple[int, ...], *, fresh: bool = False) -> str:
        name = f"v{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {expression}")
        self.shapes[name] = shape
        if fresh:
            self.fresh.add(name)
        return name

    def step(self) -> None:
        kinds = ["unary", "binary", "reduce", "view", "view", "slice", "inplace", "inplace",
                 "inplace_view", "matmul", "index", "cat", "broadcast", "softmax"]  # fmt: skip
        kind = str(self.rng.choice(kinds))
        self.kinds.add(kind)
        getattr(self, kind)()

    def unary(self) -> None:
        a = self.pick()
        menu = COMPLEX_UNARY if self.complex else UNARY
        self.add(str(self.rng.choice(menu)).format(a=a), self.shapes[a], fresh=True)

    def partner(self, a: str) -> str | None:
        shape = self.shapes[a]
        fits = [n for n, s in self.shapes.items() if _broadcast(shape, s) is not None]
        return self.pick(fits) if fits else None

    def binary(self) -> None:
        a = self.pick()
        b = self.partner(a)
        if b is None:
            return
        menu = COMPLEX_BINARY if self.complex else BINARY
        shape = _broadcast(self.shapes[a], self.shapes[b])
        assert shape is not None
        self.add(str(self.rng.choice(menu)).format(a=a, b=b), shape, fresh=True)

    def reduce(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        d = int(self.rng.integers(0, len(shape)))
        keep = bool(self.rng.random() < 0.5)
        names = ["sum", "mean"] if self.complex else ["sum", "mean", "logsumexp", "prod", "cumsum"]
        name = str(self.rng.choice(names))
        if name == "cumsum":
            self.add(f"{a}.cumsum({d})", shape, fresh=True)
            return
        left = (*shape[:d], *((1,) if keep else ()), *shape[d + 1 :])
        source = f"({a}.tanh() * 0.5 + 1)" if name == "prod" else a  # products stay small
        self.add(f"{source}.{name}({d}, keepdim={keep})", left, fresh=True)

    def view(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        n = len(shape)
        choice = int(self.rng.integers(0, 6))
        if choice == 0 and n >= 2:
            d, e = (int(k) for k in self.rng.permutation(n)[:2])
            new = list(shape)
            new[d], new[e] = new[e], new[d]
            self.add(f"{a}.transpose({d}, {e})", tuple(new))
        elif choice == 1:
            d = int(self.rng.integers(0, n + 1))
            self.add(f"{a}.unsqueeze({d})", (*shape[:d], 1, *shape[d:]))
        elif choice == 2:
            self.add(f"{a}.reshape(-1)", (int(np.prod(shape)),))
        elif choice == 3 and n >= 1:
            perm = [int(k) for k in self.rng.permutation(n)]
            self.add(f"{a}.permute({', '.join(map(str, perm))})", tuple(shape[k] for k in perm))
        elif choice == 4 and n >= 1:
            d = int(self.rng.integers(0, n))
            self.add(f"{a}.flip({d})", shape, fresh=True)
        elif choice == 5 and n >= 1 and shape[0] >= 2:
            self.add(f"{a}.narrow(0, 1, {shape[0] - 1})", (shape[0] - 1, *shape[1:]))

    def slice(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        if self.rng.random() < 0.5:
            k = int(self.rng.integers(0, shape[0]))
            self.add(f"{a}[{k}]", shape[1:])
        else:
            step = int(self.rng.integers(1, 3))
            size = len(range(0, shape[-1], step))
            self.add(f"{a}[..., ::{step}]", (*shape[:-1], size))

    def inplace(self) -> None:
        if not self.fresh:
            return
        a = self.pick(sorted(self.fresh, key=lambda n: int(n[1:])))
        self.write(a, a)

    def inplace_view(self) -> None:
        names = [n for n in sorted(self.fresh, key=lambda n: int(n[1:])) if self.shapes[n]]
        if not names:
            return
        a = self.pick(names)
        shape = self.shapes[a]
        k = int(self.rng.integers(0, shape[0]))
        place = [f"{a}[{k}]", f"{a}[{k}:{k + 1}]", f"{a}.transpose(0, -1)[..., 0]"]
        which = int(self.rng.integers(0, 3))
        part = (shape[1:], (1, *shape[1:]), tuple([shape[-1], *shape[1:-1], shape[0]][:-1])
                if len(shape) > 1 else ())[which]  # fmt: skip
        if which == 2 and len(shape) == 1:
            which, part = 0, ()
        self.write(place[which], a, part)

    def write(self, target: str, name: str, shape: tuple[int, ...] | None = None) -> None:
        shape = self.shapes[name] if shape is None else shape
        fits = [n for n, s in self.shapes.items() if _broadcast(shape, s) == shape]
        menu = ["{t}.mul_(0.9)", "{t}.add_(0.1)", "{t}.mul_({b})", "{t}.add_({b})", "{t}.sub_({b})",
                "{t}.copy_({b})"]  # fmt: skip
        if not self.complex:
            menu += ["{t}.tanh_()", "{t}.sin_()", "{t}.fill_(0.5)"]
        statement = str(self.rng.choice(menu))
        if "{b}" in statement:
            if not fits:
                return
            statement = statement.format(t=target, b=self.pick(fits) + "  * 0.5")
        self.lines.append(statement.format(t=target))

    def matmul(self) -> None:
        pairs = [(a, b) for a, s in self.shapes.items() for b, t in self.shapes.items()
                 if len(s) == 2 and len(t) == 2 and s[1] == t[0]]  # fmt: skip
        if pairs:
            a, b = pairs[int(self.rng.integers(0, len(pairs)))]
            self.add(f"{a} @ {b}", (self.shapes[a][0], self.shapes[b][1]), fresh=True)

    def index(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        if not shape:
            return
        picks = [int(k) for k in self.rng.integers(0, shape[0], 3)]
        self.add(f"{a}[torch.tensor({picks})]", (3, *shape[1:]), fresh=True)

    def cat(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        same = [n for n, s in self.shapes.items() if s == shape and s]
        if same:
            b = self.pick(same)
            if self.rng.random() < 0.5:
                self.add(f"torch.cat([{a}, {b}], 0)", (2 * shape[0], *shape[1:]), fresh=True)
            else:
                self.add(f"torch.stack([{a}, {b}], -1)", (*shape, 2), fresh=True)

    def broadcast(self) -> None:
        a = self.pick()
        shape = self.shapes[a]
        self.add(f"{a}.expand(2, {', '.join(['-1'] * len(shape))})" if shape else
                 f"{a}.expand(2)", (2, *shape))  # fmt: skip

    def softmax(self) -> None:
        a = self.pick()
        if self.shapes[a] and not self.complex:
            name = str(self.rng.choice(["softmax", "log_softmax"]))
            self.add(f"torch.{name}({a}, -1)", self.shapes[a], fresh=True)

    def finish(self) -> None:
        names = list(self.shapes)[-4:] + list(INPUTS[:1])
        part = "({a} * {a}.conj()).real.mean()" if self.complex else "{a}.sin().mean()"
        total = " + ".join(f"{k + 1} * " + part.format(a=n) for k, n in enumerate(names))
        self.lines.append(f"out = {total}")


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return None
    return tuple(int(n) for n in shape) if np.prod(shape) <= 200 else None


def generate(seed: int, length: int | None = None) -> Program:
    """The program of a seed."""
    length = length or 3 + seed % 10
    writer = Writer(seed, length)
    return Program(writer.lines, dict(writer.shapes), seed, writer.complex, writer.kinds)
