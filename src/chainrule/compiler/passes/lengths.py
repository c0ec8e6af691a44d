"""Lengths of axes that vary from call to call, and arrays that are padded to the longest of them.

An axis is a tuple of factors, in the order in which its elements lie: a number, or an `Extent`,
which stands for the varying length plus a constant. `(4, Extent(0))` is what flattening four
sequences of that length gives.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np


class Unfit(Exception):
    """A program cannot be made one for many lengths; the message says why."""


class Extent(NamedTuple):
    """The varying length plus a constant."""

    plus: int


Axis = tuple[Any, ...]
Axes = tuple[Axis, ...]
ONE: Axis = (1,)


def varies(axis: Axis) -> bool:
    """Whether an axis depends on the varying length."""
    return any(isinstance(f, Extent) for f in axis)


def factor_at(factor: Any, n: int) -> int:
    """The length that a factor stands for."""
    return n + factor.plus if isinstance(factor, Extent) else factor


def shape_at(axes: Axes, n: int) -> tuple[int, ...]:
    """The shape that axes have for a length."""
    return tuple(math.prod(factor_at(f, n) for f in axis) for axis in axes)


def axis_between(a: int, b: int, at: tuple[int, int]) -> Axis:
    """The axis that is `a` long for the first of two lengths and `b` for the second."""
    if a == b:
        return (a,)
    if a - at[0] != b - at[1]:
        raise Unfit(f"an axis is {a} long, then {b}, where the length went {at[0]} -> {at[1]}")
    return (Extent(a - at[0]),)


def regrouped(axes: Axes, lengths: list[tuple[int, int]], at: tuple[int, int]) -> Axes:
    """The axes of a reshape, whose lengths are given for two sizes."""
    left = [f for axis in axes for f in axis if f != 1]
    found: list[Axis] = []
    for wanted in lengths:
        axis: list[Any] = []
        need = wanted
        while need != (1, 1):
            if not left:
                raise Unfit("a reshape takes a varying axis apart")
            factor = left.pop(0)
            if not isinstance(factor, Extent) and need[0] == need[1] and factor % need[0] == 0:
                if factor > need[0]:
                    left.insert(0, factor // need[0])
                factor = need[0]
            here = (factor_at(factor, at[0]), factor_at(factor, at[1]))
            if need[0] % here[0] or need[1] % here[1]:
                raise Unfit("a reshape takes a varying axis apart")
            need = (need[0] // here[0], need[1] // here[1])
            axis.append(factor)
        found.append(_merged(axis))
    if left:
        raise Unfit("a reshape takes a varying axis apart")
    return tuple(found)


def _merged(factors: list[Any]) -> Axis:
    """Neighbouring numbers as one."""
    found: list[Any] = []
    for f in factors:
        if found and not isinstance(f, Extent) and not isinstance(found[-1], Extent):
            found[-1] *= f
        else:
            found.append(f)
    return tuple(found) or ONE


# ---- arrays --------------------------------------------------------------------------------------


def mask_of(axis: Axis, n: int, room: int) -> np.ndarray:
    """Which elements of an axis that has `room` are those of length `n`."""
    shape = [factor_at(f, room) for f in axis]
    found = np.zeros(shape, np.bool_)
    found[tuple(slice(0, factor_at(f, n)) for f in axis)] = True
    return found.reshape(-1)


def padded(array: np.ndarray, axes: Axes, n: int, room: int) -> np.ndarray:
    """The array with room for more; what is there beyond it repeats its last elements."""
    factors = [f for axis in axes for f in axis]
    made = np.empty([factor_at(f, room) for f in factors], array.dtype)
    inside = tuple(slice(0, factor_at(f, n)) for f in factors)
    made[inside] = array.reshape([factor_at(f, n) for f in factors])
    for k, f in enumerate(factors):
        if isinstance(f, Extent) and n < room:
            end, before = n + f.plus, (slice(None),) * k
            made[(*before, slice(end, None))] = made[(*before, slice(end - 1, end))]
    return made.reshape(shape_at(axes, room))


def unpadded(array: np.ndarray, axes: Axes, n: int, room: int) -> np.ndarray:
    """The part of length `n`, in memory of its own."""
    factors = [f for axis in axes for f in axis]
    whole = array.reshape([factor_at(f, room) for f in factors])
    part = whole[tuple(slice(0, factor_at(f, n)) for f in factors)]
    return np.array(part, order="C").reshape(shape_at(axes, n))
