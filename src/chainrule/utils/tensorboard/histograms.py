"""Values as TensorBoard's histograms."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import messages


@functools.cache
def tensorflow_bins() -> tuple[float, ...]:
    """Limits that grow by a tenth each, on both sides of zero."""
    limits = []
    value = 1e-12
    while value < 1e20:
        limits.append(value)
        value *= 1.1
    return (*(-limit for limit in reversed(limits)), 0.0, *limits)


def of_values(values: np.ndarray, bins: Any, max_bins: int | None) -> bytes:
    """The message for values sorted into bins."""
    values = np.asarray(values, np.float64).reshape(-1)
    if not values.size:
        raise ValueError("The input has no element. A histogram needs at least one value")
    if isinstance(bins, str) and bins == "tensorflow":
        bins = tensorflow_bins()
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = _merged(counts, limits, max_bins)
    counts, limits = _trimmed(counts, limits)
    return messages.histogram(
        values.min(), values.max(), len(values), values.sum(), values.dot(values), limits, counts
    )


def _merged(counts: np.ndarray, limits: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring bins put together until there are about as many as wanted."""
    step = len(counts) // most
    starts = np.arange(0, len(counts), step)
    return np.add.reduceat(counts, starts), np.append(limits[:-1][starts], limits[-1])


def _trimmed(counts: np.ndarray, limits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without the empty bins at both ends; one empty bin stays to say where the first begins."""
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("The histogram is empty: no value lies in its bins")
    first, last = filled[0], filled[-1] + 1
    return np.concatenate([[0], counts[first:last]]), limits[first : last + 1]
