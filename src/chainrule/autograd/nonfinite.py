"""NaN and infinity in arrays: whether there are any, how many, where, in words."""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from .value import TensorBase

_MOST_SHOWN = 6  # rows or values in a message


def payload(value: Any) -> np.ndarray | None:
    """The array of floats below a tensor (of any level), an array or a number; else None."""
    while isinstance(value, TensorBase):
        value = value._a
    if isinstance(value, float | complex):
        return np.asarray(value)
    if not isinstance(value, np.ndarray | np.generic):
        return None
    array: np.ndarray[Any, Any] = np.asarray(cast("Any", value))
    return array if array.dtype.kind in "fcV" else None


def wide(array: np.ndarray) -> np.ndarray:
    """The array in a type that NumPy's tests know (bfloat16 has no isnan of its own)."""
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def is_finite(array: np.ndarray) -> bool:
    """Whether every value is finite.

    A sum with a NaN or an infinity in it is not finite, so one pass without a temporary answers
    for most arrays; a sum that overflowed is looked at again.
    """
    array = wide(array)
    return bool(np.isfinite(np.add.reduce(array, axis=None))) or bool(np.isfinite(array).all())


def has_nan(array: np.ndarray) -> bool:
    """Whether a value is NaN."""
    return not is_finite(array) and bool(np.isnan(wide(array)).any())


class Found(NamedTuple):
    """The values of an array that are not finite."""

    shape: tuple[int, ...]
    nan: int
    inf: int
    first: tuple[int, ...]  # where the worst kind (NaN before infinity) is first met
    rows: tuple[int, ...]  # of the first dimension, for arrays with two or more
    value: Any  # what stands at `first`

    @property
    def kind(self) -> str:
        """'nan' or 'inf', what the message is about."""
        return "nan" if self.nan else "inf"

    def __str__(self) -> str:
        size = int(np.prod(self.shape))
        kinds = [f"{n} {word}" for n, word in ((self.nan, "nan"), (self.inf, "inf")) if n]
        if size == 1:
            return f"it is {show(self.value)}"
        text = f"{' and '.join(kinds)} among {size} values"
        if self.rows:
            shown = ", ".join(map(str, self.rows[:_MOST_SHOWN]))
            more = f" and {len(self.rows) - _MOST_SHOWN} more" if len(self.rows) > 6 else ""
            whole = " (all of them)" if len(self.rows) == self.shape[0] > 1 else ""
            text += f", in row{'s' if len(self.rows) > 1 else ''} {shown}{more}{whole}"
        return f"{text}, first at {list(self.first)}"


def find(array: np.ndarray) -> Found | None:
    """What is not finite in an array; None when all of it is."""
    if is_finite(array):
        return None
    values = wide(array)
    nan = np.isnan(values)
    inf = np.isinf(values) & ~nan  # a complex number may be both
    hit = nan if nan.any() else inf
    first = np.unravel_index(int(np.argmax(hit)), array.shape)
    rows: tuple[int, ...] = ()
    if array.ndim > 1:
        rows = tuple(np.flatnonzero(hit.reshape(array.shape[0], -1).any(1)).tolist())
    place = tuple(int(i) for i in first)
    return Found(array.shape, int(nan.sum()), int(inf.sum()), place, rows, values[first])


def show(value: Any) -> str:
    """A number in a few digits: 0.1, 1000.0, 3.4e+38, nan."""
    if np.iscomplexobj(value):
        return str(complex(value))
    number = float(value)
    text = f"{number:.6g}"
    return text if any(c in text for c in ".en") else text + ".0"


def extent(array: np.ndarray) -> str:
    """The range of an array in words: 'values from -3.0 to 2.5', 'all -inf', '3 nan among 8'."""
    if array.size == 0:
        return "no values"
    found = find(array)
    if found is not None and found.nan:
        return str(found)
    values = wide(array)
    if values.dtype.kind == "c":
        return f"largest magnitude {show(np.abs(values).max())}"
    low, high = values.min(), values.max()
    return f"all {show(low)}" if low == high else f"values from {show(low)} to {show(high)}"
