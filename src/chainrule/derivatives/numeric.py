"""`finite_difference`: the derivative from values of the function alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase, make

# The step that balances truncation (grows with it) against rounding (grows as it shrinks):
# the square root of the rounding unit for one-sided differences, the cube root for central ones.
_BEST_POWER = {"central": 1 / 3, "forward": 1 / 2, "backward": 1 / 2}


def best_step(method: str, dtype: Any = np.float64) -> float:
    """The step of a method for values of about 1."""
    return float(np.finfo(dtype).eps ** _BEST_POWER[method])


def finite_difference(
    f: Callable[..., Any], x: Any, *, eps: float | None = None, method: str = "central"
) -> Any:
    """The derivative of `f` at `x` by finite differences.

    `x` is a number, an array or tensor, or a tuple of these for a function of several arguments;
    the result has the same form. For a tensor-valued function each result is the Jacobian, of
    shape output + input. `method`: central (2n passes for n inputs), forward or backward (n + 1).
    Without `eps` the step is the best one for the type, scaled by the size of each entry.

    >>> import chainrule as torch
    >>> round(torch.finite_difference(lambda x: torch.sin(x ** 2), 1.5), 5)
    -1.88452
    """
    if method not in _BEST_POWER:
        raise ValueError(f"method must be one of {', '.join(_BEST_POWER)}, got {method!r}")
    points = x if isinstance(x, tuple) else (x,)
    arrays = [_as_array(p) for p in points]
    here = _value(f, arrays) if method != "central" else None
    made = tuple(_jacobian(f, arrays, k, eps, method, here) for k in range(len(arrays)))
    returned = tuple(_like(m, p) for m, p in zip(made, points, strict=True))
    return returned if isinstance(x, tuple) else returned[0]


def _as_array(x: Any) -> np.ndarray:
    """A private copy in a floating type; half precision is too coarse to take differences in."""
    array = np.array(x._a if isinstance(x, TensorBase) else x)
    if array.dtype.kind != "f" or array.dtype.itemsize < 4:
        array = array.astype(np.float64)
    return array


def _like(made: np.ndarray, x: Any) -> Any:
    if isinstance(x, TensorBase):
        return make(made.astype(_as_array(x).dtype))
    if isinstance(x, np.ndarray):
        return made
    return float(made) if made.ndim == 0 else made


def _value(f: Callable[..., Any], arrays: list[np.ndarray]) -> np.ndarray:
    """f at the point, as float64: arguments are copies, so that f may keep or change them."""
    result = f(*[make(a.copy()) for a in arrays])
    return np.array(result._a if isinstance(result, TensorBase) else result, np.float64)


def _jacobian(
    f: Callable[..., Any], arrays: list[np.ndarray], k: int, eps: float | None, method: str,
    here: np.ndarray | None,
) -> np.ndarray:  # fmt: skip
    x = arrays[k]
    flat = x.reshape(-1)
    columns = []
    for i in range(flat.size):
        middle = flat[i]
        step = eps if eps is not None else best_step(method, x.dtype) * max(1.0, abs(middle))
        values, places = [], []
        for side in _SIDES[method]:
            flat[i] = middle + side * step
            places.append(float(flat[i]))
            values.append(here if side == 0 else _value(f, arrays))
        flat[i] = middle
        # The places as stored: rounding x + step changes the step that was really taken.
        columns.append((values[1] - values[0]) / (places[1] - places[0]))
    if not columns:
        return np.zeros((*_value(f, arrays).shape, *x.shape))
    return np.stack(columns, axis=-1).reshape((*columns[0].shape, *x.shape))


_SIDES = {"central": (-1, 1), "forward": (0, 1), "backward": (-1, 0)}


explain_module(globals())
