"""What flows along the links: derivatives where all are single numbers, gradients elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..reading import Link, Vertex
from ..reading.gradients import Cotangents, incoming, only_reading, outputs_of
from .between import Between


def derivatives(between: Between) -> dict[int, float] | None:
    """id(link) -> local derivative, or None where something between is no single real number.

    One rule call per vertex, on a gradient of one; what comes out says the shape of what is behind.
    """
    tape = between.tape
    if not _is_number(tape.tensor._a):
        return None
    found: dict[int, float] = {}
    ones: dict[int, Any] = {tape.root.key: np.ones_like(tape.tensor._a)}
    with only_reading():
        for v in between.order:
            if v.node.multi:
                return None
            # A vertex that nothing flows into has derivatives of its own all the same.
            one = ones.pop(v.key, _ONE)
            grads = v.node.vjp(one, between.mask(v))
            for link in between.inputs(v):
                g = grads[link.position]
                if g is None:
                    found[id(link)] = 0.0
                    continue
                if not _is_number(g):
                    return None
                found[id(link)] = float(g.item())
                same = g.dtype == one.dtype and g.shape == one.shape
                ones[link.parent.key] = one if same else np.ones_like(g)
    return found


_ONE = np.ones((), np.float64)


def _is_number(a: Any) -> bool:
    return isinstance(a, np.ndarray | np.generic) and a.size == 1 and a.dtype.kind != "c"


@dataclass(slots=True)
class Merge:
    """A value used several times: how the gradients that come back agree."""

    vertex: Vertex
    branches: list[tuple[Link, float, float]]  # link, norm, cosine with the sum
    norm: float  # of the sum

    @property
    def alignment(self) -> float:
        """|sum| / sum of |branches|: 1 where they agree, 0 where they cancel."""
        total = math.fsum(n for _, n, _ in self.branches)
        return self.norm / total if total else 1.0


@dataclass(slots=True)
class Flow:
    """The gradients on their way to the target."""

    at: Cotangents
    gains: dict[int, float]  # id(link) -> |gradient handed on| / |gradient that arrived|
    sizes: dict[int, float]  # id(link) -> |gradient handed on|
    merges: list[Merge]


def flow(between: Between, seed: Any) -> Flow:
    """One pass from the output to the target, keeping what passes."""
    tape = between.tape
    at, made = Cotangents(), Flow(Cotangents(), {}, {}, [])
    made.at = at
    at.add(tape.root, tape.root_nr, seed)
    arrived: dict[tuple[int, int], list[tuple[Link, Any]]] = {}
    for v in between.order:
        _note_merges(v, arrived, at, made)
        slots = at.slots(v)
        if slots is None:
            made.gains.update({id(link): 0.0 for link in between.inputs(v)})
            made.sizes.update({id(link): 0.0 for link in between.inputs(v)})
            continue
        g = incoming(v, slots)
        with only_reading():
            grads = v.node.vjp(g, between.mask(v))
        for link in between.inputs(v):
            size = norm(grads[link.position])
            before = norm(slots[0] if len(slots) == 1 else [s for s in slots if s is not None])
            made.sizes[id(link)] = size
            made.gains[id(link)] = size / before if before else 0.0
            if grads[link.position] is not None:
                at.add(link.parent, link.nr, grads[link.position])
                here = arrived.setdefault((link.parent.key, link.nr), [])
                here.append((link, grads[link.position]))
    _note_merges(between.target, arrived, at, made)
    return made


def _note_merges(v: Vertex, arrived: Any, at: Cotangents, made: Flow) -> None:
    for nr in range(outputs_of(v)):
        parts = arrived.pop((v.key, nr), ())
        if len(parts) < 2:
            continue
        total = at.of(v, nr)
        size = norm(total)
        rows = [(link, norm(g), cosine(g, total)) for link, g in parts]
        made.merges.append(Merge(v, rows, size))


def norm(g: Any) -> float:
    """The Euclidean norm of a gradient (or of several together)."""
    if g is None:
        return 0.0
    if isinstance(g, list | tuple):
        return math.hypot(*(norm(x) for x in g))
    a = np.asarray(g).reshape(-1)
    if a.dtype.kind == "c":
        return float(np.linalg.norm(a))
    if a.dtype == np.float32:
        square = float(a @ a)
        if 1e-30 < square < 1e30:  # within what float32 holds: no copy is needed
            return math.sqrt(square)
    if a.dtype != np.float64:
        a = a.astype(np.float64)
    with np.errstate(over="ignore"):
        square = float(a @ a)
    if 1e-290 < square < 1e300:
        return math.sqrt(square)
    largest = float(np.abs(a).max(initial=0.0))  # squares of these do not fit
    return largest * norm(a / largest) if 0.0 < largest < math.inf else largest


def apart(a: Any, b: Any) -> float:
    """The norm of a - b; what is NaN or infinite in both alike is no difference."""
    a, b = np.asarray(a), np.asarray(b)
    same = (a == b) | ((a != a) & (b != b))
    with np.errstate(invalid="ignore"):
        return norm(np.where(same, 0, a - b))


def dot(a: Any, b: Any) -> float:
    """The real inner product of two gradients, in double precision."""
    a, b = np.asarray(a).reshape(-1), np.asarray(b).reshape(-1)
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        return float(np.vdot(a, b).real)
    return float(a.astype(np.float64) @ b.astype(np.float64))


def cosine(a: Any, b: Any) -> float:
    """How two gradients point: 1 the same way, -1 opposite; 0 where one is zero."""
    size = norm(a) * norm(b)
    return dot(a, b) / size if size else 0.0


def along(paths: Sequence[tuple[Link, ...]], seed: Any, root_nr: int) -> list[list[Any]]:
    """Per path the gradient after each of its links: the exact VJP restricted to that path.

    Paths that begin alike share that part of the work.
    """
    made: list[list[Any]] = [[] for _ in paths]
    # (members, how many links are done, gradient, output number it belongs to)
    stack: list[tuple[list[int], int, Any, int]] = [(list(range(len(paths))), 0, seed, root_nr)]
    while stack:
        members, done, g, nr = stack.pop()
        ways: dict[int, list[int]] = {}
        for m in members:
            if done < len(paths[m]):
                ways.setdefault(id(paths[m][done]), []).append(m)
        for some in ways.values():
            link = paths[some[0]][done]
            out = _restricted(link, g, nr)
            for m in some:
                made[m].append(out)
            stack.append((some, done + 1, out, link.nr))
    return made


def _restricted(link: Link, g: Any, nr: int) -> Any:
    if g is None:
        return None
    child = link.child
    slots: list[Any] = [None] * outputs_of(child)
    slots[nr] = g
    with only_reading():
        return link.vjp(incoming(child, slots))


__all__ = ["Flow", "Merge", "along", "apart", "cosine", "derivatives", "dot", "flow", "norm"]
