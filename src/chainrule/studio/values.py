"""Arrays as the page shows them: numbers where they are few, a histogram and a heat map else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..explanation.flows import norm

MOST_NUMBERS = 64  # an array with more entries is described instead of listed
BINS = 24
MOST_HEADS = 8
HEAT = 24  # rows and columns of a heat map at most


def number(x: Any) -> Any:
    """A number as JSON has it; what JSON has no word for is a string."""
    if isinstance(x, complex | np.complexfloating):
        return str(complex(x))
    if isinstance(x, bool | np.bool_):
        return bool(x)
    if isinstance(x, int | np.integer):
        return int(x)
    x = float(x)
    return x if math.isfinite(x) else str(x)


def summary(value: Any) -> dict[str, Any]:
    """Shape, dtype, and the numbers or what describes them."""
    a = np.asarray(value)
    made: dict[str, Any] = {"shape": list(a.shape), "dtype": a.dtype.name}
    if a.dtype.kind != "O":
        with np.errstate(all="ignore"):
            made["norm"] = number(norm(a))
    if a.size <= MOST_NUMBERS:
        made["numbers"] = [number(x) for x in a.reshape(-1).tolist()]
        return made
    if a.dtype.kind == "c":
        a = np.abs(a)
        made["of"] = "the absolute values"
    wide = a.astype(np.float64)
    finite = wide[np.isfinite(wide)]
    made["nonfinite"] = int(wide.size - finite.size)
    made["zeros"] = int((wide == 0).sum())
    if not finite.size:
        return made
    low, high = float(finite.min()), float(finite.max())
    with np.errstate(over="ignore", invalid="ignore"):
        mean, std = number(finite.mean()), number(finite.std())
    made |= {"min": low, "max": high, "mean": mean, "std": std}
    made["histogram"] = _histogram(finite, low, high)
    made["heat"] = _heat(wide)
    return made


def attention_maps(weights: Any, keys_first: bool = False) -> dict[str, Any] | None:
    """The weights of the first heads, a row per query, where each is of a readable size."""
    a = getattr(weights, "_a", None)
    if not isinstance(a, np.ndarray) or a.ndim < 3 or a.dtype.kind != "f":
        return None
    a = a.swapaxes(-1, -2) if keys_first else a
    rows, columns = a.shape[-2:]
    if not 1 < rows <= MOST_NUMBERS or not 1 < columns <= MOST_NUMBERS:
        return None
    heads = a.reshape(-1, rows, columns)
    shown = [[float(f"{x:.3g}") for x in head.ravel()] for head in heads[:MOST_HEADS]]
    lead = list(a.shape[:-2])  # examples and heads
    return {"count": len(heads), "lead": lead, "rows": rows, "columns": columns, "values": shown}


def _histogram(finite: np.ndarray, low: float, high: float) -> dict[str, Any]:
    if low == high or not math.isfinite(high - low):
        return {"low": low, "high": high, "counts": [int(finite.size)]}
    counts, _ = np.histogram(finite, BINS, (low, high))
    return {"low": low, "high": high, "counts": counts.tolist()}


def _heat(wide: np.ndarray) -> dict[str, Any]:
    """The array as a picture of at most HEAT x HEAT means; leading axes lie under each other."""
    flat = wide.reshape(-1, wide.shape[-1]) if wide.ndim > 1 else wide.reshape(1, -1)
    flat = np.where(np.isfinite(flat), flat, 0.0)
    rows, columns = (min(n, HEAT) for n in flat.shape)
    with np.errstate(over="ignore"):
        small = np.clip(_means(_means(flat, rows, 0), columns, 1), -1e300, 1e300)
    return {"rows": rows, "columns": columns, "values": [float(f"{x:.4g}") for x in small.ravel()]}


def _means(a: np.ndarray, parts: int, axis: int) -> np.ndarray:
    """`a` in so many parts along an axis, each its mean."""
    if a.shape[axis] <= parts:
        return a
    edges = np.linspace(0, a.shape[axis], parts + 1).astype(int)
    sums = np.add.reduceat(a, edges[:-1], axis)
    shape = [1, 1]
    shape[axis] = parts
    return sums / np.diff(edges).reshape(shape)


__all__ = ["attention_maps", "number", "summary"]
