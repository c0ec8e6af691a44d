"""`Explanation`: why a gradient is what it is, path by path and link by link."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.printable import printable
from ..autograd.value import make
from ..reading import Tape, Vertex
from ..reading.terminal import Block, Report, plain, show
from . import groups as grouping
from .between import Between
from .chain import crossings, named, scalar_steps, tensor_steps
from .flows import Flow, along, apart, cosine, derivatives, dot, flow, norm
from .paths import Path, PathLink, Step
from .semirings import count_paths, log_size, spread, strongest, sum_product


@dataclass(frozen=True, slots=True)
class Check:
    """Whether the chain rule, added up, is what the engine computed."""

    difference: float  # |sum of paths - gradient|
    tolerance: float  # what rounding may do
    engine: str  # what it was compared with

    @property
    def ok(self) -> bool:
        return self.difference <= self.tolerance


class Explanation(Report):
    """The gradient of one output by one tensor, taken apart.

    `gradient`, `paths` (strongest first, at most as many as asked for), `count` (all there are),
    `remaining` (gradient minus the listed paths), `chain` (steps between named values that every
    path passes), `check`. `kind` is "scalar" (links are derivatives) or "tensor" (links are gains
    along the actual gradient; contributions are exact all the same).
    """

    def __init__(
        self, tape: Tape, between: Between, x: Any, x_name: str, y_name: str, seed: Any, most: int
    ) -> None:
        self.tape = tape
        self.between = between
        self.x, self.y = x, tape.tensor
        self.x_name, self.y_name = x_name, y_name
        self.seed = seed
        self.most = most
        self._weights = derivatives(between)
        self.kind = "tensor" if self._weights is None else "scalar"
        self.gradient = self._gradient()
        self.paths = self._scalar_paths() if self._weights is not None else self._tensor_paths()

    def __repr__(self) -> str:
        many = "1 path" if self.count == 1 else f"{self.count:,} paths"
        return printable(f"<Explanation of d {self.y_name} / d {self.x_name}: {many}; print it>")

    # ---- what is computed ------------------------------------------------------------------------

    def _gradient(self) -> Any:
        """By the engine, which knows nothing of this; by this pass where hooks would run."""
        if self.tape.has_hooks():
            return make(self._reached())
        (found,) = grad(self.y, self.x, make(self.seed), retain_graph=True, allow_unused=True)
        return make(np.zeros_like(self.x._a)) if found is None else found

    def _reached(self) -> Any:
        g = self._flow.at.of(self.between.target, self.between.nr)
        return np.zeros_like(self.x._a) if g is None else np.asarray(g)

    @cached_property
    def _flow(self) -> Flow:
        return flow(self.between, self.seed)

    @property
    def _one(self) -> float:
        """The gradient of the output itself, where it is a number."""
        return float(np.asarray(self.seed).reshape(-1)[0])

    def _scalar_paths(self) -> list[Path]:
        weights = self._weights
        assert weights is not None
        total = float(self.gradient._a.reshape(()))
        made = []
        for links in strongest(self.between, weights, self.most):
            product, steps = self._one, []
            for link in links:
                product *= weights[id(link)]
                steps.append((weights[id(link)], product))
            share = product / total if total else math.nan
            sign = math.copysign(1.0, product * total) if product * total else 0.0
            made.append(Path(links, tuple(steps), product, abs(product), share, sign))
        return made

    def _tensor_paths(self) -> list[Path]:
        gains = self._flow.gains
        ways = strongest(self.between, gains, self.most)
        whole = self.gradient._a
        size = norm(whole)
        made = []
        for links, grads in zip(ways, along(ways, self.seed, self.tape.root_nr), strict=True):
            steps, before = [], norm(self.seed)
            for g in grads:
                after = norm(g)
                steps.append((after / before if before else 0.0, after))
                before = after
            last = grads[-1] if grads else self.seed
            value = np.zeros_like(whole) if last is None else np.asarray(last)
            share = dot(value, whole) / size**2 if size else math.nan
            tail = (norm(value), share, cosine(value, whole))
            made.append(Path(links, tuple(steps), make(value), *tail))
        return sorted(made, key=lambda p: -p.norm)

    # ---- all paths at once -----------------------------------------------------------------------

    @cached_property
    def count(self) -> int:
        """How many paths lead from the output to the input."""
        return count_paths(self.between).get(self.tape.root.key, 1)

    @cached_property
    def total_absolute(self) -> float:
        """The sum of |contribution| over all paths (scalar graphs): what cancels is counted too."""
        return abs(self._one) * math.exp(min(self._spread.log_total, 709.0))

    @cached_property
    def entropy(self) -> float:
        """How evenly the paths share the weight, in nats: 0 for one, log(n) for n equal ones."""
        return self._spread.entropy

    @cached_property
    def _spread(self) -> Any:
        from .semirings import Spread

        weights = self._weights if self._weights is not None else self._flow.gains
        return spread(self.between, weights).get(self.tape.root.key, Spread(0.0, 0.0))

    @cached_property
    def listed(self) -> Any:
        """The sum of the listed paths' contributions: a number or a tensor."""
        if self.kind == "scalar":
            return math.fsum(p.contribution for p in self.paths)
        total = np.zeros(self.x._a.shape, np.result_type(self.x._a.dtype, np.float64))
        for p in self.paths:
            total = total + p.contribution._a
        return make(total.astype(self.gradient._a.dtype))

    @property
    def remaining(self) -> Any:
        """The gradient minus the listed paths: what the others bring together."""
        if self.kind == "scalar":
            return float(self.gradient._a.reshape(())) - self.listed
        return make(self.gradient._a - self.listed._a)

    @cached_property
    def check(self) -> Check:
        """The sum over all paths against the engine's gradient."""
        kind = self.gradient._a.dtype
        eps = float(np.finfo(kind).eps) if kind.kind in "fc" else 1e-15
        longest = max((len(p) for p in self.paths), default=1)
        if self._weights is not None:
            summed: Any = sum_product(self.between, self._weights).get(self.tape.root.key, 1.0)
            difference = apart(summed * self._one, self.gradient._a.reshape(()))
            size = self.total_absolute
        else:
            every = self.count <= len(self.paths)
            summed = self.listed._a if every else self._reached()
            difference = apart(summed, self.gradient._a)
            # A rule may cancel inside: what it was given bounds what rounding can do.
            size = math.fsum(p.largest for p in self.paths)
        engine = "this pass (hooks were not run)" if self.tape.has_hooks() else "backward"
        return Check(difference, 8 * eps * (longest + 4) * max(size, 1e-300), engine)

    # ---- reading it ------------------------------------------------------------------------------

    @cached_property
    def chain(self) -> list[Step]:
        """The steps between the named values that every path goes through; their product is the
        gradient (for tensors: its norm)."""
        return self.steps(named(crossings(self.between)))

    def steps(self, stops: list[tuple[Vertex, int, int]]) -> list[Step]:
        """The steps between values that every path passes (see `chain.crossings`)."""
        if self._weights is not None:
            return scalar_steps(self.between, self._weights, stops)
        return tensor_steps(self.between, self._flow, stops)

    @property
    def merges(self) -> list[Any]:
        """Where a value is used several times: how the gradients coming back align or cancel."""
        return self._flow.merges

    def largest_link(self) -> Step | PathLink:
        """The biggest multiplier: of the chain where it has several steps, else of the top path."""
        if len(self.chain) > 1 or not self.paths or not self.paths[0].links:
            return max(self.chain, key=lambda s: log_size(s.multiplier))
        return max(self.paths[0].links, key=lambda k: log_size(k.derivative))

    def by_line(self) -> list[grouping.Group]:
        """What each line of the program does to the gradient that passes through it."""
        return self._grouped(grouping.by_line)

    def by_module(self) -> list[grouping.Group]:
        """The same by module."""
        return self._grouped(grouping.by_module)

    def by_layer(self) -> list[grouping.Group]:
        """The same by layer: one of several numbered modules with all that is in it."""
        return self._grouped(grouping.by_layer(self.tape))

    def _grouped(self, name_of: Callable[[Vertex], str]) -> list[grouping.Group]:
        return grouping.group(self.between, self._flow.sizes, norm(self.seed), name_of)

    @property
    def elasticity(self) -> Any:
        """Percent of output per percent of input: gradient times x / y (per element of x)."""
        value = self.gradient._a * self.x._a / _only(self.y._a)
        return float(value.reshape(())) if value.size == 1 else make(value)

    def predict(self, change: Any) -> float:
        """The output after a change of the input, to first order."""
        delta = np.broadcast_to(np.asarray(getattr(change, "_a", change)), self.x._a.shape)
        return float(_only(self.y._a)) + dot(self.gradient._a, delta) / self._one

    def what_if(self, change: Any, f: Callable[..., Any]) -> Any:
        """Compare the first-order prediction with the recomputed value.

        `f(new x)` computes the output; a function of no arguments is called while x holds the
        changed value (for a parameter of a model), which is then put back.
        """
        from .finite import compare_with

        return compare_with(self, change, f)

    # ---- showing it ------------------------------------------------------------------------------

    def blocks(self) -> list[Block]:
        from .text import blocks

        return blocks(self)

    def tree(self) -> str:
        """The listed paths as a tree from the output: what they share is drawn once."""
        from .text import tree

        return plain([tree(self)])

    def show(self) -> None:
        """Print in colour in a terminal, as plain text elsewhere; with the tree of paths."""
        from .text import tree

        show([*self.blocks(), *([tree(self)] if self.count > 1 else [])])

    def to_json(self, **options: Any) -> str:
        """Everything as JSON."""
        import json

        from .text import as_dict

        return json.dumps(as_dict(self), **options)

    def to_svg(self) -> str:
        """The graph between output and input, with what flows along its links."""
        from .pictures import explanation_svg

        return explanation_svg(self)

    def to_html(self, path: Any = None) -> str:
        """One self-contained page; written to `path` where one is given."""
        from .pictures import explanation_page, written

        return written(explanation_page(self), path)

    def waterfall(self, ax: Any = None) -> Any:
        """The running product of the chain, drawn by matplotlib; returns the axes."""
        from .pictures import waterfall

        return waterfall(self, ax)

    def _repr_html_(self) -> str:
        from .pictures import explanation_fragment

        return explanation_fragment(self)


def _only(a: Any) -> Any:
    if a.size != 1:
        raise ValueError(
            f"the output has shape {list(a.shape)}: this is told of a single number only. Fix: "
            "explain one element or a sum of it."
        )
    return a.reshape(())


__all__ = ["Check", "Explanation"]
