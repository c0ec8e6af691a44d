"""Transforms of functions that write in place: vmap, grad and jvp in nests, against a loop.

The function is a program of the in-place family; it may write to its arguments too. A transform of
it over examples must give what the examples give one by one, and leave the same in the arguments.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import chainrule

from ..script import Disagreement
from .inplace import InPlace, with_copies
from .inplace.views import PLAIN, as_strided
from .inplace.writer import INPUTS, Writer
from .straight.check import same

WEIGHT = 2
HOWS = (
    "vmap", "vmap", "dims", "dims", "vmap vmap", "vmap grad", "grad vmap", "jvp vmap", "vmap jvp",
    "jacrev", "jacfwd", "vmap grad grad", "vmap jacrev", "grad jvp", "jvp grad", "chunks",
)  # fmt: skip

OF_LEAVES = ("vmap grad", "vmap jacrev", "vmap grad grad")  # called with the arguments themselves
# What no transform can do, and says so.
REFUSED = "modified by an inplace operation|vmap: .* is not possible|is not implemented"


@dataclass
class Batched(InPlace):
    """An in-place program and the transform that is made of it."""

    how: str = "vmap"
    size: int = 2
    dims: tuple[int | None, ...] = (0, 0, 0)

    def text(self) -> str:
        body = "\n".join("    " + line for line in self.lines)
        note = f"# {self.how}, {self.size} examples in {self.dims}"
        return f"def f(x0, x1, x2):\n{body}\n    return out\n{note}"

    def script(self) -> str:
        sizes = ", ".join(f"{n}: {self.shapes[n]}" for n in INPUTS)
        return f"import chainrule as torch\n{self.text()}\n# {sizes}"

    def function(self, torch: Any) -> Any:
        space: dict[str, Any] = {"torch": torch}
        exec(compile(self.text(), f"<batched {self.seed}>", "exec"), space)
        return space["f"]


class Function(Writer):
    """A tame program that writes to its arguments as well."""

    views = tuple(v for v in PLAIN if v is not as_strided)  # an example's memory is its caller's

    def targets(self) -> list[str]:
        chosen = [n for n in INPUTS if n not in self.shared and self.rng.random() < 0.3]
        return super().targets() + chosen


def generate(seed: int) -> Batched:
    rng = random.Random(f"batched {seed}")
    writer = Function(rng, "real", False)
    shapes = {name: writer.shapes[name] for name in INPUTS}
    how = rng.choice(HOWS)
    dims: tuple[int | None, ...] = (0, 0, 0)
    if how == "dims":
        dims = tuple(rng.choice([None, *range(len(shapes[n]) + 1), -1]) for n in INPUTS)
        if all(d is None for d in dims):
            dims = (0, None, None)
    return Batched(writer.lines, shapes, seed, how=how, size=rng.choice([1, 2, 2, 3]), dims=dims)


def check(program: Batched, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    examples = [program.arrays(program.seed + 7 * k) for k in range(program.size)]
    try:
        want = looped(program, torch, examples)
    except (RuntimeError, IndexError) as problem:
        if "leaf" in str(problem) and program.how in OF_LEAVES:
            _must_raise(program, torch, examples)
            return "ok"
        return "invalid"
    finite = all(np.isfinite(a).all() and np.abs(a).max(initial=0.0) < 1e4 for a in want)
    if not finite:
        return "invalid"
    try:
        got = transformed(program, torch, examples)
    except RuntimeError as problem:
        if re.search(REFUSED, str(problem)):
            return "invalid"
        raise
    _compare(program.how, got, want)
    if oracle is not None and "squeeze_(" not in program.text():  # PyTorch squeezes the batch too
        try:
            theirs = transformed(program, oracle, examples)
        except Exception:
            return "ok"  # no batching rule, or a check that we do not need
        try:
            _compare(f"PyTorch {program.how}", got, theirs)
        except Disagreement:
            if _matter_of_rounding(program, torch, examples, got):
                return "invalid"
            if _agrees_with_tape(program, oracle, examples, got):
                return "ok"  # PyTorch's own forward mode does not
            apart = replace(program, lines=[with_copies(line) for line in program.lines])
            try:
                _compare("copies", transformed(apart, oracle, examples), theirs)
            except Disagreement:
                return "invalid"  # depends on loops, or reads tangents that y.mul_(y) has written
            raise
    return "ok"


def _matter_of_rounding(program: Batched, torch: Any, examples: Any, got: Any) -> bool:
    """Whether inputs that are off by a few roundings give other results (the sine of 1e12)."""
    # Of these functions PyTorch knows nine digits.
    step = 1e-9 if re.search(r"igamma|polygamma_\(1", program.text()) else 1e-14
    nearby = [[a * (1 + step) for a in example] for example in examples]
    try:
        _compare("nearby", transformed(program, torch, nearby), got)
    except Disagreement:
        return True
    return False


def _must_raise(program: Batched, torch: Any, examples: Any) -> None:
    """A function that writes over what it is differentiated by has no gradient to give."""
    try:
        got = transformed(program, torch, examples)
    except RuntimeError:
        return
    raise Disagreement(f"{program.how} of a function that writes to its argument", got, "an error")


def _compare(way: str, got: list[np.ndarray], want: list[np.ndarray]) -> None:
    if len(got) != len(want):
        raise Disagreement(f"{way}: number of results", len(got), len(want))
    for k, (a, b) in enumerate(zip(got, want, strict=True)):
        same(f"{way} {k}", a, b, 1e-6, 1e-7 * (1 + float(np.abs(b).max(initial=0.0))))


def _agrees_with_tape(program: Batched, torch: Any, examples: Any, got: Any) -> bool:
    try:
        _compare("", got, looped(program, torch, examples))
    except (Disagreement, RuntimeError):  # the tape may find a value written over
        return False
    return True


def _stacked(program: Batched, torch: Any, examples: Any) -> list[Any]:
    """The examples as the arguments of the transform."""
    made = []
    for k, dim in enumerate(program.dims):
        column = [example[k] for example in examples]
        if dim is None:
            made.append(torch.tensor(column[0]))
        else:  # each example lies in memory as it does alone
            made.append(torch.tensor(np.stack(column)).movedim(0, dim))
    return made


def _given(program: Batched, examples: Any) -> list[list[np.ndarray]]:
    """What each example is called with: an argument that is not batched is the first one's."""
    return [[examples[0][k] if dim is None else example[k] for k, dim in enumerate(program.dims)]
            for example in examples]  # fmt: skip


def tangents(arrays: list[np.ndarray]) -> list[np.ndarray]:
    return [np.cos(np.arange(a.size) + 1.0).reshape(a.shape) for a in arrays]


def looped(program: Batched, torch: Any, examples: Any) -> list[np.ndarray]:
    """Example by example on the tape."""
    f = program.function(torch)
    rows = [_one(program.how, f, torch, arrays) for arrays in _given(program, examples)]
    if program.how in ("jacrev", "jacfwd", "grad jvp", "jvp grad"):
        return rows[0]
    made = [np.stack(column) for column in zip(*rows, strict=True)]
    return made


def _one(how: str, f: Any, torch: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    leaves = [torch.tensor(a).requires_grad_() for a in arrays]
    if how in ("vmap", "dims", "vmap vmap", "chunks"):
        xs = [leaf.detach() for leaf in leaves]
        out = f(*xs)
        return [t.numpy() for t in ([out, *xs] if how == "vmap" else [out])]
    second = how in ("vmap grad grad", "grad jvp", "jvp grad")
    out = f(*(leaves if how in OF_LEAVES else [leaf.clone() for leaf in leaves]))
    grads = torch.autograd.grad(out, leaves, create_graph=second, allow_unused=True)
    grads = [torch.zeros_like(x) if g is None else g for g, x in zip(grads, leaves, strict=True)]
    along: Any = sum((g * torch.tensor(t)).sum()
                for g, t in zip(grads, tangents(arrays), strict=True))  # fmt: skip
    if how in ("jvp vmap", "vmap jvp"):
        return [out.detach().numpy(), along.detach().numpy()]
    if not second:
        return [g.detach().numpy() for g in grads]
    if not along.requires_grad:
        return [np.zeros(a.shape) for a in arrays]
    found = torch.autograd.grad(along, leaves, allow_unused=True)
    return [np.zeros(a.shape) if g is None else g.numpy()
            for g, a in zip(found, arrays, strict=True)]  # fmt: skip


def transformed(program: Batched, torch: Any, examples: Any) -> list[np.ndarray]:
    """By transforms over all examples at once."""
    f, how = program.function(torch), program.how
    xs = _stacked(program, torch, examples)
    func = torch.func
    every = (0, 1, 2)
    ts = [torch.tensor(np.stack([tangents(e)[k] for e in examples])) for k in range(3)]
    if how == "vmap":
        made: Any = [func.vmap(f)(*xs), *xs]
    elif how == "dims":
        made = func.vmap(f, in_dims=program.dims)(*xs)
    elif how == "chunks":
        made = func.vmap(f, chunk_size=2)(*xs)
    elif how == "vmap vmap":
        made = func.vmap(func.vmap(f))(*(x.unsqueeze(0) for x in xs))[0]
    elif how == "vmap grad":
        made = func.vmap(func.grad(f, argnums=every))(*xs)
    elif how == "grad vmap":
        made = func.grad(lambda *x: func.vmap(f)(*(t.clone() for t in x)).sum(), argnums=every)(*xs)
    elif how == "jvp vmap":
        made = func.jvp(lambda *x: func.vmap(f)(*(t.clone() for t in x)), tuple(xs), tuple(ts))
    elif how == "vmap jvp":
        made = func.vmap(lambda x, t: func.jvp(f, x, t))(tuple(xs), tuple(ts))
    elif how == "vmap grad grad":

        def inner(x: Any, t: Any) -> Any:
            return sum((g * q).sum() for g, q in zip(func.grad(f, argnums=every)(*x), t))  # noqa: B905

        made = func.vmap(func.grad(inner))(tuple(xs), tuple(ts))
    elif how == "vmap jacrev":
        made = func.vmap(func.jacrev(f, argnums=every))(*xs)
    else:
        made = _of_the_first(how, f, torch, examples[0])
    many = made if isinstance(made, (tuple, list)) else [made]
    return [np.array(t.detach().numpy()) for t in many]


def _of_the_first(how: str, f: Any, torch: Any, arrays: list[np.ndarray]) -> Any:
    """Transforms that have no batch of their own."""
    func, every = torch.func, (0, 1, 2)
    xs = tuple(torch.tensor(a) for a in arrays)
    ts = tuple(torch.tensor(t) for t in tangents(arrays))

    def copied(*x: Any) -> Any:
        return f(*(t.clone() for t in x))

    if how == "jacrev":
        return func.jacrev(copied, argnums=every)(*xs)
    if how == "jacfwd":
        return func.jacfwd(copied, argnums=every)(*xs)
    if how == "grad jvp":
        return func.grad(lambda *x: func.jvp(copied, x, ts)[1], argnums=every)(*xs)
    return func.jvp(lambda *x: func.grad(copied, argnums=every)(*x), xs, ts)[1]
