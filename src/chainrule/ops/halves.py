"""Half precision: what is computed element by element is computed in float32 and rounded once.

float16 and bfloat16 are types to store numbers in. An op's array function may be written in several
steps, each of which would round; its arrays are therefore widened before it runs and its results
rounded after it. Numbers beside them are not arrays and keep their precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .kernels import fast
from .layout import dense_cast

_SINGLE = np.dtype(np.float32)
COMPLEX_HALF = "W"  # the kind that ml_dtypes gives complex32, which NumPy does not know


def is_half(dtype: np.dtype) -> bool:
    """Whether a NumPy dtype is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def is_bfloat16(dtype: np.dtype) -> bool:
    """Whether a NumPy dtype is bfloat16, which NumPy itself does not know."""
    return dtype.kind == "V" and dtype.itemsize == 2


def half_parts(x: np.ndarray) -> np.ndarray:
    """The parts of complex32 numbers along a last dimension: a view."""
    steps = (*x.strides, x.itemsize)
    whole = np.lib.stride_tricks.as_strided(x.view(np.uint32), (*x.shape, 1), steps)
    return whole.view(np.float16)


# Casts of fewer elements are done before a kernel is called.
_MANY = 1 << 12


def single(x: np.ndarray) -> np.ndarray:
    """An array of half precision as float32, in the same order."""
    size = x.size
    if size >= _MANY and size % 2 == 0 and x.dtype.kind == "V":
        if x.flags.c_contiguous:
            done = fast.widen_pairs(x.reshape(-1).view(np.uint32), size)
            if done is not None:
                return done.reshape(x.shape)
        elif x.flags.f_contiguous:
            return single(x.T).T
    return dense_cast(x, _SINGLE)


def rounded(x: np.ndarray, half: np.dtype) -> np.ndarray:
    """An array as half precision, in the same order."""
    size = x.size
    if size >= _MANY and size % 2 == 0 and half.kind == "V" and x.dtype is _SINGLE:
        if x.flags.c_contiguous:
            done = fast.round_pairs(x, size // 2)
            if done is not None:
                return done.view(half).reshape(x.shape)
        elif x.flags.f_contiguous:
            return rounded(x.T, half).T
    return dense_cast(x, half)


def wide(x: Any) -> Any:
    """Half precision as float32; anything else as it is."""
    return single(x) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


def rounding_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function on arrays of every type, for one that computes well in float32."""

    def forward(*args: Any, **params: Any) -> Any:
        for a in args:
            if a.__class__ is np.ndarray and is_half(a.dtype):
                return _rounded(function(*map(_widened, args), **params), a.dtype)
        return function(*args, **params)

    forward.__name__ = function.__name__
    forward.__doc__ = function.__doc__
    return forward


def _widened(a: Any) -> Any:
    return single(a) if a.__class__ is np.ndarray and is_half(a.dtype) else a


def _rounded(result: Any, half: np.dtype) -> Any:
    if result.__class__ is tuple:
        return tuple(_rounded(r, half) for r in result)
    return rounded(result, half) if result.dtype == _SINGLE else result
