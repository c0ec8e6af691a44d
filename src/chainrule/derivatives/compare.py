"""`compare_derivatives`: by differences, by formula, automatically — one point, one table each."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.backward import grad
from ..autograd.node import Node, OutSlot
from ..autograd.value import TensorBase, make
from ..checking.tables import Report, Section
from . import expression as e
from .formula import Formula, symbolic
from .meaning import NoFormula, derivative
from .numeric import best_step, finite_difference
from .tracing import argument_names

STEPS = tuple(10.0**-k for k in range(1, 16))


@dataclass(frozen=True)
class StepError:
    """Relative error of finite differences at one step size."""

    step: float
    forward: float
    central: float


@dataclass(frozen=True)
class Growth:
    """Sizes for f applied `depth` times."""

    depth: int
    formula: int  # nodes of the formula written out
    derivative: int  # nodes of its derivative written out
    tape: int  # operations recorded by automatic differentiation


@dataclass
class Comparison(Report):
    """What compare_derivatives found; prints as tables."""

    names: tuple[str, ...]
    value: float
    automatic: np.ndarray
    numerical: np.ndarray
    symbolic: np.ndarray | None
    formula: Formula | None
    no_formula: str  # why there is none
    curve: list[StepError]
    passes: dict[str, tuple[int, int]]  # method -> (forward passes, backward passes)
    seconds: dict[str, float]
    growth: list[Growth]

    @property
    def best_step(self) -> float:
        """The step at which forward differences err least."""
        return min(self.curve, key=lambda row: row.forward).step

    def sections(self) -> list[Section]:
        sections = [self._values(), self._curve(), self._passes()]
        if self.growth:
            sections.append(self._growth())
        return sections

    def _values(self) -> Section:
        section = Section("derivatives", ("d/d", "numerical", "symbolic", "automatic"))
        for k in range(min(len(self.names), 12)):
            by_formula = "-" if self.symbolic is None else f"{self.symbolic[k]:.12g}"
            section.rows.append(
                (
                    self.names[k],
                    f"{self.numerical[k]:.12g}",
                    by_formula,
                    f"{self.automatic[k]:.12g}",
                )
            )
        if len(self.names) > 12:
            section.notes.append(f"... and {len(self.names) - 12} more inputs")
        if self.formula is None:
            section.notes.append(f"no formula: {self.no_formula}")
            return section
        section.notes.append(f"f = {self.formula}")
        for name, slope in self.formula.gradient().items():
            section.notes.append(f"df/d{name} = {slope}")
        section.notes += [f"assumed: {note}" for note in self.formula.notes]
        return section

    def _curve(self) -> Section:
        section = Section("error against step size (relative)", ("step", "forward", "central", ""))
        for row in self.curve:
            bar = "#" * _bar(row.forward)
            cells = (f"{row.step:.0e}", f"{row.forward:.1e}", f"{row.central:.1e}", bar)
            section.rows.append(cells)
        section.notes = [
            f"Forward differences err least at step {self.best_step:.0e}: larger steps cut the "
            "curve short, smaller ones drown in rounding. In general no step makes it vanish."
        ]
        return section

    def _passes(self) -> Section:
        headers = ("method", "forward passes", "backward passes", "milliseconds")
        section = Section(f"cost of the gradient of {len(self.names)} inputs", headers)
        for method, (ahead, back) in self.passes.items():
            spent = self.seconds.get(method)
            ms = "-" if spent is None else f"{1000 * spent:.3g}"
            section.rows.append((method, str(ahead), str(back), ms))
        return section

    def _growth(self) -> Section:
        section = Section(
            "size when f is applied again and again",
            ("depth", "formula", "its derivative", "tape"),
        )
        for row in self.growth:
            cells = (row.depth, f"{row.formula:,}", f"{row.derivative:,}", row.tape)
            section.rows.append(tuple(str(c) for c in cells))
        section.notes = [
            "Written out, formulas repeat their parts; the tape holds each operation once, and "
            "backward runs each once."
        ]
        return section


def _bar(error: float) -> int:
    """Digits lost: 16 for an error of 1, 0 for one of 1e-16."""
    if not math.isfinite(error):
        return 16
    return max(0, min(16, round(16 + math.log10(max(error, 1e-17)))))


def compare_derivatives(
    f: Callable[..., Any], x: Any, *, depths: Any = range(1, 11), steps: Any = STEPS
) -> Comparison:
    """Differentiate `f` at `x` numerically, symbolically and automatically, and compare.

    `x` is a number, a tuple of numbers (a function of several scalars) or a tensor.
    The result prints as tables: the three derivatives, the error of finite differences against
    their step size, how many passes each way takes, and how expressions grow with depth.

    >>> import chainrule as torch
    >>> c = torch.compare_derivatives(lambda x: torch.sin(x ** 2), 1.5)
    >>> print(c.formula.derivative())
    2*x*cos(x**2)
    >>> 1e-10 < c.best_step < 1e-6
    True
    """
    points = x if isinstance(x, tuple) else (x,)
    arrays = [np.array(_plain(p), np.float64) for p in points]
    scalar = all(a.ndim == 0 for a in arrays)
    counter = _Counter(f)
    automatic, value, spent = _automatic(counter, arrays)
    passes = {"automatic": (counter.calls, 1)}
    seconds = {"automatic": spent}
    numerical = {}
    for method in ("forward", "central"):
        f(*[make(a.copy()) for a in arrays])  # the first run also prepares the ops: not timed
        counter.calls = 0
        start = time.perf_counter()
        numerical[method] = _numerical(counter, arrays, best_step(method), method)
        seconds[f"{method} differences"] = time.perf_counter() - start
        passes[f"{method} differences"] = (counter.calls, 0)
    names = _names(f, arrays)
    formula, reason = _formula(f, names) if scalar else (None, "x is a tensor")
    exact = _evaluated(formula, arrays)
    truth = automatic if exact is None or not np.isfinite(exact).all() else exact
    line = _along(f, arrays, truth)
    return Comparison(
        names=names, value=value, automatic=automatic, numerical=numerical["central"],
        symbolic=exact, formula=formula, no_formula=reason,
        curve=[_at_step(line[0], line[1], h, line[2]) for h in steps],
        passes=passes, seconds=seconds,
        growth=expression_growth(f, depths) if scalar and len(arrays) == 1 and formula else [],
    )  # fmt: skip


class _Counter:
    """A function that counts its calls."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self.calls = 0

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.f(*args)


def _plain(p: Any) -> Any:
    return p._a if isinstance(p, TensorBase) else p


def _names(f: Callable[..., Any], arrays: list[np.ndarray]) -> tuple[str, ...]:
    known = argument_names(f)
    if len(known) != len(arrays):
        known = ["x"] if len(arrays) == 1 else [f"x{k}" for k in range(len(arrays))]
    names = []
    for name, a in zip(known, arrays, strict=True):
        if a.ndim == 0:
            names.append(name)
        else:
            names += [f"{name}{list(index)}" for index in np.ndindex(a.shape)]
    return tuple(names)


def _automatic(f: _Counter, arrays: list[np.ndarray]) -> tuple[np.ndarray, float, float]:
    leaves = [make(a.copy()) for a in arrays]
    for leaf in leaves:
        leaf._rg = True
    y = f(*leaves)
    if not isinstance(y, TensorBase) or y.numel() != 1:  # type: ignore[attr-defined]
        raise TypeError(
            "compare_derivatives needs a function that returns one number as a tensor; this one "
            f"returned {type(y).__name__} of shape {list(getattr(y, 'shape', ()))}. Fix: reduce "
            "it, e.g. with .sum()."
        )
    found = grad(y, leaves, allow_unused=True, materialize_grads=True)
    spent = math.inf  # the best of a few runs; the one above also prepared the ops
    for _ in range(3):
        start = time.perf_counter()
        grad(f.f(*leaves), leaves, allow_unused=True, materialize_grads=True)
        spent = min(spent, time.perf_counter() - start)
    return np.concatenate([g._a.reshape(-1) for g in found]), float(y._a), spent


def _numerical(f: Any, arrays: list[np.ndarray], step: float, method: str) -> np.ndarray:
    made = finite_difference(f, tuple(arrays), eps=step, method=method)
    return np.concatenate([np.asarray(m).reshape(-1) for m in made])


def _along(f: Any, arrays: list[np.ndarray], truth: np.ndarray) -> tuple[Any, Any, np.ndarray]:
    """The same function along one random direction, when x has too many entries to move each."""
    if truth.size <= _MOST_MOVED:
        return f, arrays, truth
    direction = np.random.default_rng(5).standard_normal(truth.size) / math.sqrt(truth.size)
    ends = np.cumsum([a.size for a in arrays])[:-1]
    pieces = [d.reshape(a.shape) for d, a in zip(np.split(direction, ends), arrays, strict=True)]

    def moved(t: Any) -> Any:
        steps = float(t._a)
        return f(*[make(a + steps * d) for a, d in zip(arrays, pieces, strict=True)])

    return moved, [np.zeros(())], np.array([truth @ direction])


_MOST_MOVED = 32


def _at_step(f: Any, arrays: list[np.ndarray], step: float, truth: np.ndarray) -> StepError:
    size = max(float(np.max(np.abs(truth), initial=0.0)), 1e-300)
    errors = []
    with np.errstate(all="ignore"):
        for method in ("forward", "central"):
            apart = _numerical(f, arrays, step, method) - truth
            errors.append(float(np.max(np.abs(apart), initial=0.0)) / size)
    return StepError(step, *errors)


def _formula(f: Callable[..., Any], names: tuple[str, ...]) -> tuple[Formula | None, str]:
    try:
        return symbolic(f, *names), ""
    except NoFormula as problem:
        return None, str(problem)


def _evaluated(formula: Formula | None, arrays: list[np.ndarray]) -> np.ndarray | None:
    if formula is None:
        return None
    point = [float(a) for a in arrays]
    return np.array([slope(*point) for slope in formula.gradient().values()])


def expression_growth(f: Callable[..., Any], depths: Any = range(1, 11)) -> list[Growth]:
    """Sizes of the formula, its derivative and the tape for f(f(...f(x))), per depth.

    >>> import chainrule as torch
    >>> rows = torch.derivatives.expression_growth(lambda x: 4 * x * (1 - x), [1, 2, 3])
    >>> [row.tape for row in rows]
    [3, 6, 9]
    """
    rows = []
    for depth in depths:

        def repeated(x: Any, depth: int = depth) -> Any:
            for _ in range(depth):
                x = f(x)
            return x

        formula = symbolic(repeated, "x")
        slope = derivative(formula.expression, e.symbol("x"))
        rows.append(Growth(depth, formula.size, slope.size, _recorded(repeated)))
    return rows


def _recorded(f: Callable[..., Any]) -> int:
    """How many operations f records on the tape."""
    leaf = make(np.asarray(0.5))
    leaf._rg = True
    stack = [getattr(f(leaf), "_node", None)]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        node = node.node if isinstance(node, OutSlot) else node
        if isinstance(node, Node) and node.key not in seen:
            seen.add(node.key)
            stack.extend(node.parents)
    return len(seen)


explain_module(globals())

__all__ = ["Comparison", "Growth", "StepError", "compare_derivatives", "expression_growth"]
