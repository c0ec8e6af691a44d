"""The chain between the values that every path goes through.

A value through which all paths pass splits the gradient into a product: d y / d v times d v / d x.
Such values are found by counting (paths to it times paths from it are all there are). The chain
keeps those that the user has a name for, so that

    revenue = 800 * phones - 0.01 * phones ** 2

is one step, d revenue / d phones = 798.5, though two paths lead through that line.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from ..reading import Vertex
from .between import Between
from .flows import Flow, norm
from .formulas import number_of
from .paths import Step, label_of
from .semirings import Weights, count_paths


def crossings(between: Between) -> list[tuple[Vertex, int, int]]:
    """(vertex, output number, paths from it to the target) of all that every path passes.

    The output comes first and the target last.
    """
    tape = between.tape
    to_target = count_paths(between)
    if not to_target:
        return [(between.target, between.nr, 1)]
    everything = to_target[tape.root.key]
    # Paths from the output to each vertex, by output number.
    arriving: dict[tuple[int, int], int] = {(tape.root.key, tape.root_nr): 1}
    found = []
    for v in between.order:
        slots = range(1 if not v.node.multi else len(v.node.meta))
        here = [arriving.pop((v.key, nr), 0) for nr in slots]
        total = sum(here)
        if total * to_target[v.key] == everything:
            used = [nr for nr in slots if here[nr]]
            if len(used) == 1:
                found.append((v, used[0], to_target[v.key]))
        for link in between.inputs(v):
            key = (link.parent.key, link.nr)
            arriving[key] = arriving.get(key, 0) + total
    found.append((between.target, between.nr, 1))
    return found


def named(found: list[tuple[Vertex, int, int]]) -> list[tuple[Vertex, int, int]]:
    """The crossings that have a name of the user's, and both ends."""
    ends = (found[0][0], found[-1][0])
    return [f for f in found if f[0].title or f[0] in ends]


def scalar_steps(
    between: Between, weights: Weights, stops: list[tuple[Vertex, int, int]]
) -> list[Step]:
    """The steps between the stops with their derivatives: forward over the part between two."""
    steps, product = [], 1.0
    for (upper, _, above), (lower, _, below) in pairwise(stops):
        multiplier = _derivative(between, weights, upper, lower)
        product *= multiplier
        step = _step(upper, lower, multiplier, product, above // below)
        steps.append(replace(step, elasticity=_elasticity(between, upper, lower, multiplier)))
    return steps


def _step(upper: Vertex, lower: Vertex, multiplier: float, product: float, ways: int) -> Step:
    return Step(
        _called(upper), _called(lower), upper.place, upper.module, multiplier, product, ways
    )


def _elasticity(between: Between, upper: Vertex, lower: Vertex, slope: float) -> float | None:
    result, by = number_of(between.tape, upper), number_of(between.tape, lower)
    return None if result is None or by is None or result == 0 else slope * by / result


def _called(v: Vertex) -> str:
    """The label; inside a module also which one, since its variables have the same names in all."""
    return f"{label_of(v)} [{v.module}]" if v.node is not None and v.module else label_of(v)


def _derivative(between: Between, weights: Weights, upper: Vertex, lower: Vertex) -> float:
    """d upper / d lower: backward from one stop to the next, which nothing goes around."""
    pending: dict[int, float] = {upper.key: 1.0}
    total = 0.0
    for v in between.between(upper, lower):
        g = pending.pop(v.key, 0.0)
        for link in between.inputs(v):
            part = g * weights[id(link)]
            if link.parent is lower:
                total += part
            else:
                pending[link.parent.key] = pending.get(link.parent.key, 0.0) + part
    return total


def tensor_steps(between: Between, flow: Flow, stops: list[tuple[Vertex, int, int]]) -> list[Step]:
    """The same with gains: how the norm of the actual gradient changes from stop to stop."""
    steps = []
    for (upper, nr, above), (lower, lower_nr, below) in pairwise(stops):
        before, after = norm(flow.at.of(upper, nr)), norm(flow.at.of(lower, lower_nr))
        gain = after / before if before else 0.0
        steps.append(_step(upper, lower, gain, after, above // below))
    return steps


__all__ = ["crossings", "named", "scalar_steps", "tensor_steps"]
