"""Programs of one function that differ in a length only, run as one (`passes/ranges.py`).

Two kinds of calls make a template. Another kind joins it after one traced call, which must have
done the very same with the other length: with the same tensors in the same places, the same
numbers, the same decisions about numbers that are followed.
"""

from __future__ import annotations

from typing import Any

from ...autograd.state import STATE
from ...autograd.value import TensorBase
from ...ops import dtypes
from ..graph.exact_numbers import exact
from ..passes.lengths import Unfit
from ..passes.ranges import Template
from ..runtime.range_plan import RangePlan
from .facts import hooks_of
from .followed import Expression
from .program import Alias, Computed, Fixed, GradOf, Output, Program, Same
from .runner import Runner


class RangeRunner(Runner):
    """Runs all calls of a function that differ in a length only."""

    def __init__(self, program: Program, template: Template) -> None:
        self._template = template
        super().__init__(program)

    def _make_plan(self, program: Program) -> Any:
        plan = RangePlan(self._template)
        plan.admit(program.graph)
        return plan


class Outline:
    """What two programs must have in common besides the instructions."""

    def __init__(self, program: Program) -> None:
        call = program.second
        if program.second.seeds:
            raise Unfit("its results are differentiated outside")
        if program.bases or program.settings:
            raise Unfit("its results share memory, or it sets switches")
        assert call.follower is not None
        self.graph = program.graph
        self.facts = (
            (STATE.w, id(STATE.autocast), dtypes.get_default_dtype()),
            [_argument(x, call.leaves) for x in call.leaves],
            call.free,
            [(s.kind, _what(s.what)) for s in program.sources],
            [id(t) for t in program.cleared],
            [id(t) for t in program.without_grad],
            [(key, exact(c.expected)) for key, c in call.follower.conditions.items()],
            sorted(program.layouts.items()),
            _result(program.result),
        )
        self.keep = (call.leaves, STATE.autocast)  # identities count

    def same(self, other: Outline) -> bool:
        """Whether programs differ in their instructions at most."""
        return self.facts == other.facts


def ranged(known: list[Outline], program: Program, outline: Outline) -> RangeRunner:
    """One runner for a program and for one of those that are known; raises `Unfit`."""
    reason = Unfit("no other call did the same with another length")
    for other in reversed(known):
        if other.same(outline):
            try:
                return RangeRunner(program, Template(other.graph, program.graph))
            except Unfit as problem:
                reason = problem
    raise reason


def _argument(x: Any, leaves: list[Any]) -> Any:
    if not isinstance(x, TensorBase):
        plain = isinstance(x, bool | int | float | str | type(None))
        return exact(x) if plain else id(x)
    if not x._a.flags.c_contiguous or hooks_of(x):
        raise Unfit("an argument has hooks, or does not lie in C order")
    first = next(i for i, y in enumerate(leaves) if isinstance(y, TensorBase) and y._a is x._a)
    return x.__class__, x._a.ndim, x._a.dtype, x._rg, first


def _what(what: Any) -> Any:
    if isinstance(what, Expression):
        return what.key()
    return what if isinstance(what, int) else id(what)


def _result(part: Any) -> Any:
    """The structure of a result, to be compared."""
    if isinstance(part, Output):
        return "output", part.position, part.slot
    if isinstance(part, Fixed):
        plain = isinstance(part.value, bool | int | float | str | type(None))
        return "fixed", exact(part.value) if plain else id(part.value)
    if isinstance(part, Same):
        return "same", part.argument, id(part.tensor)
    if isinstance(part, GradOf):
        return "grad", id(part.tensor)
    if isinstance(part, Computed):
        return "number", part.expression.key()
    if isinstance(part, Alias):
        raise Unfit("a result is a view of what it was given")
    if isinstance(part, dict):
        return type(part), [(k, _result(v)) for k, v in part.items()]
    return type(part), [_result(p) for p in part]
