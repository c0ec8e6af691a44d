"""`explain(y, wrt=x)`: what users call; arguments are checked here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..autograd import errors
from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase
from ..nn.modules.module import Module
from ..reading import Names, Tape
from ..reading import modules as module_paths
from ..reading.svg import short_number
from ..reading.terminal import Block, Report, Table, Text
from .between import Between
from .explanation import Explanation
from .flows import norm
from .targets import locate, named_targets, not_used, used


class Explanations(Report):
    """One explanation per tensor, by name: `found["fc.weight"]`."""

    def __init__(self, y_name: str, each: dict[str, Explanation], unused: list[str]) -> None:
        self.y_name = y_name
        self.unused = unused  # parameters of the module that the output does not depend on
        self._each = each

    def __getitem__(self, name: str) -> Explanation:
        if name not in self._each:
            raise KeyError(f"{name!r}; explained were {', '.join(self._each)}")
        return self._each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    def items(self) -> Any:
        return self._each.items()

    def blocks(self) -> list[Block]:
        rows = []
        for name, e in self._each.items():
            link = e.largest_link()
            size = getattr(link, "multiplier", None) or getattr(link, "derivative", 0.0)
            rows.append((name, str(list(e.gradient.shape)), short_number(norm(e.gradient._a)),
                         short_number(e.count), f"{short_number(size)} {link.result} <- {link.by}",
                         "ok" if e.check.ok else "DIFFERENT"))  # fmt: skip
        head = ("d / d", "shape", "norm", "paths", "largest link", "sum of paths")
        notes = [f"not used: {', '.join(self.unused)}"] if self.unused else []
        return [Text([f"gradients of {self.y_name}"]), Table("", head, rows, notes)]

    def to_json(self, **options: Any) -> str:
        """All of them as one JSON object."""
        import json

        from .text import as_dict

        return json.dumps({name: as_dict(e) for name, e in self._each.items()}, **options)


def explain(
    y: Any, wrt: Any, *, module: Any = None, gradient: Any = None, paths: int | None = None,
    modules: Any = None,
) -> Any:  # fmt: skip
    """Take the gradient of `y` with respect to `wrt` apart: every path, link by link.

    `wrt` is a tensor, several (a list, or a dict of names), a module (all its parameters) or the
    name of a parameter with `module=`. `paths` says how many paths to list (10, for tensors 5);
    `gradient` is the output's gradient where it is not a single number; `modules` is what
    `reading.track_modules` recorded (module paths are inferred otherwise).

    Nothing is changed: no hooks run, no `.grad` is written, the graph can still be used.

    >>> import chainrule as torch
    >>> supply = torch.tensor(5.0, dtype=torch.float64, requires_grad=True)
    >>> chips = 1000 - 50 * supply
    >>> phones = 0.1 * chips
    >>> revenue = 800 * phones - 0.01 * phones ** 2
    >>> e = torch.explain(revenue, wrt=supply)
    >>> [(step.result, step.by, step.multiplier) for step in e.chain]
    [('revenue', 'phones', 798.5), ('phones', 'chips', 0.1), ('chips', 'supply', -50.0)]
    >>> e.largest_link().by, e.count, round(sum(p.contribution for p in e.paths), 6)
    ('phones', 2, -3992.5)
    """
    if paths is not None and (not isinstance(paths, int) or paths < 1):
        raise ValueError(f"paths must be a positive number of paths to list, got {paths!r}")
    tape = Tape.of(y)
    tape.name(Names.here(module))
    tape.require_saved()
    module_paths.assign(tape, modules)
    seed = _seed(y, gradient)
    targets = named_targets(wrt, module, tape.names)
    y_name = tape.root.title or tape.root.place.expression or "y"
    several = len(targets) > 1 or not isinstance(wrt, TensorBase | str)
    unused: list[str] = []
    if isinstance(wrt, Module):
        some, unused = used(tape, targets)
        targets = some or targets
    made = {}
    for name, tensor in targets.items():
        vertex, nr = locate(tape, tensor, name)
        vertex.title = vertex.title or name
        between = Between(tape, vertex, nr)
        if not between.found:
            raise not_used(name, tape)
        most = paths or (10 if tensor._a.size == 1 and y._a.size == 1 else 5)
        made[name] = Explanation(tape, between, tensor, name, y_name, seed, most)
    return Explanations(y_name, made, unused) if several else next(iter(made.values()))


def _seed(y: Any, gradient: Any) -> np.ndarray:
    """The gradient of the output."""
    value = y._a
    if gradient is None:
        if value.size != 1:
            raise errors.not_scalar(value.shape)
        if value.dtype.kind == "c":
            raise RuntimeError(
                "the output is complex: which part is to be explained? Fix: take .real, .imag or "
                ".abs() of it, or pass gradient="
            )
        return np.ones(value.shape, value.dtype)
    given = np.asarray(gradient._a if isinstance(gradient, TensorBase) else gradient)
    if given.shape != value.shape:
        raise RuntimeError(
            f"Mismatch in shape: gradient has a shape of {list(given.shape)} and the output has a "
            f"shape of {list(value.shape)}"
        )
    return given.astype(value.dtype)


explain_module(globals())

__all__ = ["Explanations", "explain"]
