"""A line search that ends at a point with sufficient decrease and small slope (strong Wolfe)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_DECREASE, _CURVATURE = 1e-4, 0.9
_SMALLEST_CHANGE = 1e-9


@dataclass
class Point:
    """A tried length with the loss, the gradient and the slope along the direction there."""

    t: float
    loss: float
    grad: Any
    slope: float


def minimum_between(a: Point, b: Point, low: float, high: float) -> float:
    """Where the cubic through both points (values and slopes) is least, within bounds."""
    middle = (low + high) / 2.0
    if a.t == b.t:
        return middle
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return middle
    d2 = math.sqrt(square)
    if a.t > b.t:
        a, b = b, a
    below = b.slope - a.slope + 2 * d2
    if below == 0:
        return middle
    return min(max(b.t - (b.t - a.t) * ((b.slope + d2 - d1) / below), low), high)


def strong_wolfe(
    evaluate: Callable[[float], tuple[float, Any]], t: float, d: Any, loss: float, grad: Any,
    most: int,
) -> tuple[float, Any, float, int]:  # fmt: skip
    """(loss, gradient, length, evaluations); a bracket is found first, then made smaller."""

    def try_length(length: float) -> Point:
        value, g = evaluate(length)
        return Point(length, value, g, float(g.dot(d)))

    origin = Point(0.0, loss, grad, float(grad.dot(d)))
    bracket, done, used = _bracket(try_length, origin, t, most)
    if not done and used < most:
        done_at = _zoom(try_length, origin, bracket, float(d.abs().max()), most - used)
        used += done_at
    best = min(bracket, key=lambda point: point.loss)
    return best.loss, best.grad, best.t, used + 1


def _too_high(point: Point, origin: Point) -> bool:
    return point.loss > origin.loss + _DECREASE * point.t * origin.slope


def _flat_enough(point: Point, origin: Point) -> bool:
    return abs(point.slope) <= -_CURVATURE * origin.slope


def _bracket(
    try_length: Callable[[float], Point], origin: Point, t: float, most: int
) -> tuple[list[Point], bool, int]:
    """Two points around a good one (or the good one), whether it is done, further trials."""
    before, new, tried = origin, try_length(t), 0
    while tried < most:
        if _too_high(new, origin) or (tried > 1 and new.loss >= before.loss):
            return [before, new], False, tried
        if _flat_enough(new, origin):
            return [new], True, tried
        if new.slope >= 0:
            return [before, new], False, tried
        low, high = new.t + 0.01 * (new.t - before.t), new.t * 10
        length = minimum_between(before, new, low, high)
        before, new = new, try_length(length)
        tried += 1
    return [origin, new], False, tried


def _zoom(
    try_length: Callable[[float], Point], origin: Point, bracket: list[Point], size: float,
    most: int,
) -> int:  # fmt: skip
    """Shrink the bracket in place; gives the number of trials."""
    low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
    slow = False
    for tried in range(most):
        left, right = sorted((bracket[0].t, bracket[1].t))
        if (right - left) * size < _SMALLEST_CHANGE:
            return tried
        t = minimum_between(bracket[0], bracket[1], left, right)
        t, slow = _away_from_ends(t, left, right, slow)
        new = try_length(t)
        if _too_high(new, origin) or new.loss >= bracket[low].loss:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].loss <= bracket[1].loss else (1, 0)
            continue
        done = _flat_enough(new, origin)
        if not done and new.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = new
        if done:
            return tried + 1
    return most


def _away_from_ends(t: float, left: float, right: float, slow: bool) -> tuple[float, bool]:
    """A trial too near an end, twice in a row, is moved inside; gives whether it is the first."""
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if slow or t >= right or t <= left:
        return (right - margin if abs(t - right) < abs(t - left) else left + margin), False
    return t, True
