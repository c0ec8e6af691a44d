"""Programs of views and in-place writes, as lines over three inputs."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import numpy as np

from .recipes import CHANGES, DOMAINS, FUNCTIONS, WILD_FUNCTIONS, recipes
from .views import PLAIN, SEVERAL, Shape

INPUTS = ("x0", "x1", "x2")
NAMES = {"real": "torch.float64", "complex": "torch.complex128", "integer": "torch.int64"}
UNARY = (
    "{a} * 0.7",
    "{a}.clone()",
    "{a} + 0.3",
    "{a}.sin()",
    "-{a}",
    "{a} * {a}",
    "{a}.tanh()",
    "{a}.conj() * 2",
)
STEPS = ("view", "view", "view", "write", "write", "write", "method", "method", "method", "compute",
         "combine", "change")  # fmt: skip
WILD = (*STEPS, "several", "mode", "mode", "standing", "leaf", "several")


class Writer:
    """Builds one program.

    A tame program can be run by every way: it writes only to what it made, where no two elements
    share memory. A wild one does what people do: leaves, modes, `detach_`, outputs of `split`;
    whether that is an error and what is seen of it is compared.
    """

    views = PLAIN

    def __init__(self, rng: random.Random, kind: str, wild: bool) -> None:
        self.rng, self.kind, self.wild = rng, kind, wild
        self.lines: list[str] = []
        self.shapes: dict[str, Shape] = {}
        self.kinds: dict[str, str] = {}
        self.computed: set[str] = set()  # variables that have all of their memory
        self.shared: set[str] = set()  # variables that must not be written to in a tame program
        for name in INPUTS:
            self.shapes[name] = tuple(rng.randint(1, 4) for _ in range(rng.randint(0, 3)))
            self.kinds[name] = kind
        for name in rng.sample(INPUTS, 2):
            self.compute(name)
        for _ in range(rng.randint(3, 12)):
            getattr(self, rng.choice(WILD if wild else STEPS))()
        self.finish()

    def pick(self, names: list[str] | None = None) -> str:
        names = list(self.shapes) if names is None else names
        return self.rng.choices(names, range(1, len(names) + 1))[0]

    def add(self, expression: str, shape: Shape, kind: str, shared: bool = False) -> str:
        name = f"v{len(self.shapes) - len(INPUTS)}"
        self.lines.append(f"{name} = {expression}")
        self.shapes[name], self.kinds[name] = shape, kind
        if shared:
            self.shared.add(name)
        return name

    def compute(self, a: str | None = None) -> None:
        a = a or self.pick()
        menu = UNARY[:3] if self.kinds[a] == "integer" else UNARY
        text = self.rng.choice(menu).replace("0.7", "2").replace("0.3", "3") if (
            self.kinds[a] == "integer") else self.rng.choice(menu)  # fmt: skip
        self.computed.add(self.add(text.format(a=a), self.shapes[a], self.kinds[a]))

    def combine(self) -> None:
        a = self.pick()
        b = self.operand(self.shapes[a], self.kinds[a])
        text = f"{a} {self.rng.choice('+*-')} {b}"
        # Operands of several layouts: PyTorch takes the first's, we C order.
        self.add(f"({text}).contiguous()" if len(self.shapes[a]) > 1 else text, self.shapes[a],
                 self.kinds[a])  # fmt: skip

    def view(self) -> None:
        a = self.pick()
        if self.kinds[a] == "complex" and self.rng.random() < 0.25:
            self.complex_view(a)
            return
        made = self.rng.choice(self.views)(self.rng, self.shapes[a])
        if made is None or math.prod(made[1]) > 100 or self.reaches_out(a, made[0]):
            return
        text, shape, shared = made
        self.add(a + text, shape, self.kinds[a], shared or a in self.shared or a in INPUTS)

    def reaches_out(self, a: str, text: str) -> bool:
        """`as_strided` of a view shows memory beyond it, which PyTorch gives no gradient."""
        return ".as_strided(" in text and a not in self.computed

    def complex_view(self, a: str) -> None:
        s = self.shapes[a]
        text, shape, kind = self.rng.choice([
            (f"{a}.real", s, "real"), (f"{a}.imag", s, "real"),
            (f"torch.view_as_real({a})", (*s, 2), "real"),
        ])  # fmt: skip
        self.add(text, shape, kind, a in self.shared or a in INPUTS)

    def several(self) -> None:
        """An output of a function that returns several views."""
        a = self.pick()
        made = self.rng.choice(SEVERAL)(self.rng, self.shapes[a])
        if made is not None:
            self.add(a + made[0], made[1], self.kinds[a], True)

    def targets(self) -> list[str]:
        if self.wild:
            return [n for n in self.shapes if n not in INPUTS or self.rng.random() < 0.05]
        return [n for n in self.shapes if n not in INPUTS and n not in self.shared]

    def write(self) -> None:
        """A write through a view that has no name."""
        names = self.targets()
        if not names:
            return
        a = self.pick(names)
        made = self.rng.choice(self.views)(self.rng, self.shapes[a])
        if made is None or (made[2] and not self.wild) or self.reaches_out(a, made[0]):
            return
        self.apply(a + made[0], made[1], self.kinds[a])

    def method(self) -> None:
        names = self.targets()
        if names:
            a = self.pick(names)
            self.apply(a, self.shapes[a], self.kinds[a])

    def apply(self, target: str, shape: Shape, kind: str) -> None:
        menu = recipes(kind, self.wild)
        if kind == "real" and self.rng.random() < 0.06:
            text = self.rng.choice(WILD_FUNCTIONS if self.wild else FUNCTIONS)
        else:
            text = self.rng.choice(menu[self.rng.choice(list(menu))])
        if target.endswith((")", ".T", ".H", ".mT", ".mH")) and re.search("{t} .?.?=", text):
            return  # no assignment to a call, nor to a property
        slots = Slots(self, target, shape, kind)
        try:
            domain, _, call = text.partition(": ")
            if domain in DOMAINS:
                lines = [DOMAINS[domain].format_map(slots), call.format_map(slots)]
            else:
                lines = [text.format_map(slots)]
        except Unfit:
            return
        self.lines += lines

    def change(self) -> None:
        """Another shape for the same tensor."""
        names = [n for n in self.targets() if n not in INPUTS]
        if not names:
            return
        a = self.pick(names)
        s = self.shapes[a]
        kind = self.rng.choice(CHANGES[:6])
        if kind == "t_" and len(s) == 2:
            self.lines.append(f"{a}.t_()")
            self.shapes[a] = s[::-1]
        elif kind in ("transpose_", "swapaxes_", "swapdims_") and len(s) >= 2:
            d, e = self.rng.sample(range(len(s)), 2)
            self.lines.append(f"{a}.{kind}({d}, {e})")
            new = list(s)
            new[d], new[e] = new[e], new[d]
            self.shapes[a] = tuple(new)
        elif kind == "squeeze_":
            self.lines.append(f"{a}.squeeze_()")
            self.shapes[a] = tuple(n for n in s if n != 1)
        elif kind == "unsqueeze_":
            d = self.rng.randrange(len(s) + 1)
            self.lines.append(f"{a}.unsqueeze_({d})")
            self.shapes[a] = (*s[:d], 1, *s[d:])

    def standing(self) -> None:
        """Detached, required to have a gradient, resized, or told to keep its gradient."""
        a = self.pick([n for n in self.shapes if n not in INPUTS])
        s = self.shapes[a]
        n = math.prod(s)
        menu = [
            f"{a}.detach_()", f"{a}.requires_grad_()", f"{a}.requires_grad_(False)",
            f"{a}.retain_grad()", f"{a}.retain_grad()", f"{a}.as_strided_({s}, {_strides(s)})",
            f"{a}.resize_({n})", f"{a}.resize_as_({a})", f"{a}.set_({self.pick()})",
            f"{a}.detach().resize_({n}, 1)", f"{a}.data.mul_(2)", f"{a}.detach().add_(1)",
            f"{a}.requires_grad = True",
        ]  # fmt: skip
        line = self.rng.choice(menu)
        self.lines.append(line)
        if self.rng.random() < 0.3:
            self.add(f"{a}.{self.rng.choice(['detach()', 'data'])}", s, self.kinds[a])

    def leaf(self) -> None:
        """A new leaf, plain or not, that other writes may give a history."""
        shape = tuple(self.rng.randint(1, 3) for _ in range(self.rng.randint(1, 2)))
        wants = ", requires_grad=True" if self.kind != "integer" and self.rng.random() < 0.3 else ""
        self.add(f"torch.ones({shape}, dtype={NAMES[self.kind]}{wants})", shape, self.kind)

    def mode(self) -> None:
        """A few steps in a block where nothing, or again something, is recorded."""
        before = len(self.lines)
        for _ in range(self.rng.randint(1, 3)):
            getattr(self, self.rng.choice(("view", "write", "method", "compute", "several")))()
        inner = self.lines[before:]
        if not inner:
            return
        header = self.rng.choice(["with torch.no_grad():", "with torch.no_grad():",
                                  "with torch.no_grad(), torch.enable_grad():",
                                  "with torch.set_grad_enabled(False):"])  # fmt: skip
        self.lines[before:] = ["\n".join([header, *("    " + line for line in inner)])]

    def operand(self, shape: Shape, kind: str) -> str:
        """An operand that broadcasts to a shape."""
        fits = [n for n, s in self.shapes.items() if self.kinds[n] == kind and _fits(s, shape)]
        if fits and self.rng.random() < 0.8:
            return self.pick(fits)
        return self.exact(shape, kind)

    def exact(self, shape: Shape, kind: str) -> str:
        """An operand of a shape."""
        same = [n for n, s in self.shapes.items() if self.kinds[n] == kind and s == shape]
        if same and self.rng.random() < 0.7:
            return self.pick(same)
        whole = [n for n, s in self.shapes.items() if self.kinds[n] == kind]
        scalar = f"{self.pick(whole)}.sum()" if whole else "2"
        return f"({scalar} * torch.ones({shape}, dtype={NAMES[kind]}))"

    def finish(self) -> None:
        names = list(self.shapes)[-4:] + self.rng.sample(list(self.shapes), 2)
        terms = []
        for k, name in enumerate(dict.fromkeys(names)):
            kind = self.kinds[name]
            if kind == "integer":
                part = f"{name}.double().sin().sum()"
            elif kind == "complex":
                part = f"({name} * {name}.conj()).real.sum()"
            else:
                part = f"{name}.sin().sum()"
            terms.append(f"{k + 1} * {part}")
        self.lines.append("out = " + " + ".join(terms))


class Unfit(Exception):
    """The target has no shape for this method."""


class Slots(dict[str, str]):
    """What a recipe asks for, made when it is asked for."""

    def __init__(self, writer: Writer, target: str, shape: Shape, kind: str) -> None:
        super().__init__(t=target)
        self.writer, self.shape, self.kind = writer, shape, kind
        self.rng = writer.rng
        self.axis = self.rng.randrange(len(shape)) if shape else 0
        self.picks: list[int] | None = None

    def __missing__(self, name: str) -> str:
        value = getattr(self, f"_{name}")()
        if name in ("index", "index0"):
            self[name] = value
        return value

    def exact(self, *shape: int) -> str:
        return self.writer.exact(shape, self.kind)

    def factor(self, *shape: int) -> str:
        """An operand of a product: not the target itself, whose memory PyTorch computes in."""
        return f"({self.exact(*shape)} * 1)"

    def need(self, condition: bool) -> None:
        if not condition:
            raise Unfit

    def _b(self) -> str:
        return self.writer.operand(self.shape, self.kind)

    def _c(self) -> str:
        return f"({self._b()} * 1)"

    def _p(self) -> str:
        b = self._b()
        return f"({b} * {b} + 0.5)" if self.kind != "complex" else f"({b} * {b} + 3)"

    def _e(self) -> str:
        return self.exact(*self.shape)

    def _d(self) -> str:
        return str(self.axis)

    def _scalar(self) -> str:
        return f"{self._b()}.sum()"

    def _mask(self) -> str:
        n = math.prod(self.shape)
        return f"(torch.arange({n}).reshape({self.shape}) % 2 == 0)"

    def _chosen(self, axis: int) -> list[int]:
        self.need(bool(self.shape) and 0 not in self.shape)
        if self.picks is None:
            size = self.shape[axis]
            self.picks = self.rng.sample(range(size), self.rng.randint(1, size))
        return self.picks

    def _index(self) -> str:
        return f"torch.tensor({self._chosen(self.axis)})"

    def _source(self) -> str:
        s, d = self.shape, self.axis
        return self.exact(*s[:d], len(self._chosen(d)), *s[d + 1 :])

    def _index0(self) -> str:
        return f"torch.tensor({self._chosen(0)})"

    def _source0(self) -> str:
        return self.exact(len(self._chosen(0)), *self.shape[1:])

    def _places(self) -> str:
        self.need(bool(self.shape) and 0 not in self.shape)
        s, d = self.shape, self.axis
        k = self.rng.randrange(s[d])
        return f"torch.full({(*s[:d], 1, *s[d + 1 :])}, {k})"

    def _scattered(self) -> str:
        s, d = self.shape, self.axis
        return self.exact(*s[:d], 1, *s[d + 1 :])

    def _how(self) -> str:
        return self.rng.choice(
            ["'prod'", "'mean'", "'amax'", "'amin'", "'mean', include_self=False"]
        )

    def _how2(self) -> str:
        return self.rng.choice(["'sum'", "'prod'", "'mean'", "'amax'", "'sum', include_self=False"])

    def _matrix_shape(self, dims: int) -> Shape:
        self.need(len(self.shape) == dims)
        return self.shape

    def _left(self) -> str:
        return self.factor(self._matrix_shape(2)[0], 2)

    def _right(self) -> str:
        return self.factor(2, self.shape[1])

    def _matrix(self) -> str:
        return self.factor(self._matrix_shape(1)[0], 2)

    def _vector(self) -> str:
        return self.factor(2)

    def _column(self) -> str:
        return self.factor(self._matrix_shape(2)[0])

    def _row(self) -> str:
        return self.factor(self.shape[1])

    def _lefts(self) -> str:
        return self.factor(2, self._matrix_shape(2)[0], 2)

    def _rights(self) -> str:
        return self.factor(2, 2, self.shape[1])

    def _batch_left(self) -> str:
        s = self._matrix_shape(3)
        return self.factor(s[0], s[1], 2)

    def _batch_right(self) -> str:
        return self.factor(self.shape[0], 2, self.shape[2])


def _fits(small: Shape, large: Shape) -> bool:
    try:
        return np.broadcast_shapes(small, large) == large
    except ValueError:
        return False


def _strides(shape: Shape) -> tuple[int, ...]:
    made: list[int] = []
    step = 1
    for n in reversed(shape):
        made.insert(0, step)
        step *= n
    return tuple(made)


def write(seed: int, kind: str, wild: bool) -> tuple[list[str], dict[str, Any]]:
    """Lines and the shapes of the inputs."""
    writer = Writer(random.Random(f"inplace {seed}"), kind, wild)
    return writer.lines, {name: writer.shapes[name] for name in INPUTS}
