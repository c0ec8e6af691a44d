"""Window functions: `signal.windows.*` and the older `*_window` functions of the package."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...ops import dtypes
from ..api import public
from ..creation import finish, np_dtype
from ..leaf import want_grad

if TYPE_CHECKING:
    from ..annotations import DType, Tensor

_OPTIONS = {"layout", "device", "requires_grad", "pin_memory"}


def _made(
    name: str, count: int, periodic: bool, formula: Callable[..., Any], dtype: Any, options: Any
) -> Any:
    """`count` weights by a formula of the positions and of the span from the first to the last.

    A periodic window is a symmetric one of one more weight without its last.
    """
    if unknown := set(options) - _OPTIONS:
        raise TypeError(f"{name}() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    target = np_dtype(dtype)
    layout = options.get("layout")
    if layout is not None and str(layout) != "torch.strided":
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if count <= 1:
        values = np.ones(count)
    else:
        values = formula(np.arange(count, dtype=np.float64), count if periodic else count - 1)
    made = finish(values.astype(target), False, options.get("device"))
    return want_grad(made, True) if options.get("requires_grad") else made


# ---- formulas ------------------------------------------------------------------------------------


def _cosine_sum(weights: Iterable[float]) -> Callable[..., Any]:
    def formula(k: Any, span: int) -> Any:
        turn = 2 * np.pi * k / span
        return np.sum([(-1) ** i * a * np.cos(i * turn) for i, a in enumerate(weights)], axis=0)

    return formula


def _bartlett(k: Any, span: int) -> Any:
    return 1 - np.abs(2 * k / span - 1)


def _kaiser(beta: float) -> Callable[..., Any]:
    def formula(k: Any, span: int) -> Any:
        inside = np.maximum(1 - (2 * k / span - 1) ** 2, 0)
        return np.i0(beta * np.sqrt(inside)) / np.i0(beta)

    return formula


_BLACKMAN = (0.42, 0.5, 0.08)
_NUTTALL = (0.3635819, 0.4891775, 0.1365995, 0.0106411)


# ---- signal.windows ------------------------------------------------------------------------------


def _window(
    name: str, count: int, sym: bool, formula: Callable[..., Any], dtype: Any, options: Any
) -> Any:
    if count < 0:
        raise refusal.value(f"{name} requires non-negative window length, got M={count}")
    if dtype not in (None, dtypes.float32, dtypes.float64):
        raise refusal.value(f"{name} expects float32 or float64 dtypes, got: {dtype!r}")
    return _made(name, count, not sym, formula, dtype, options)


@public(namespace="signal.windows", out=False)
def bartlett(M: int, *, sym: bool = True, dtype: DType | None = None, **options: Any) -> Tensor:
    """The triangle from 0 to 1 and back."""
    return _window("bartlett", M, sym, _bartlett, dtype, options)


@public(namespace="signal.windows", out=False)
def general_cosine(
    M: int, *, a: Sequence[float], sym: bool = True, dtype: DType | None = None, **options: Any
) -> Tensor:
    """The sum of cosines with the weights `a`, alternating in sign."""
    if not isinstance(a, Iterable):
        raise refusal.wrong_type(f"Coefficients must be a list/tuple, got {a!r}")
    weights = tuple(a)
    if not weights:
        raise refusal.value("Coefficients cannot be empty")
    return _window("general_cosine", M, sym, _cosine_sum(weights), dtype, options)


@public(namespace="signal.windows", out=False)
def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: DType | None = None, **options: Any
) -> Tensor:
    """alpha minus (1 - alpha) times a cosine."""
    formula = _cosine_sum((alpha, 1 - alpha))
    return _window("general_cosine", M, sym, formula, dtype, options)


@public(namespace="signal.windows", out=False)
def hamming(M: int, *, sym: bool = True, dtype: DType | None = None, **options: Any) -> Tensor:
    """The raised cosine that does not quite reach zero."""
    return _window("general_cosine", M, sym, _cosine_sum((0.54, 0.46)), dtype, options)


@public(namespace="signal.windows", out=False)
def hann(M: int, *, sym: bool = True, dtype: DType | None = None, **options: Any) -> Tensor:
    """The raised cosine."""
    return _window("general_cosine", M, sym, _cosine_sum((0.5, 0.5)), dtype, options)


@public(namespace="signal.windows", out=False)
def blackman(M: int, *, sym: bool = True, dtype: DType | None = None, **options: Any) -> Tensor:
    """Three cosines with low side lobes."""
    return _window("general_cosine", M, sym, _cosine_sum(_BLACKMAN), dtype, options)


@public(namespace="signal.windows", out=False)
def nuttall(M: int, *, sym: bool = True, dtype: DType | None = None, **options: Any) -> Tensor:
    """Four cosines with the lowest side lobes."""
    return _window("general_cosine", M, sym, _cosine_sum(_NUTTALL), dtype, options)


@public(namespace="signal.windows", out=False)
def cosine(M: int, *, sym: bool = True, dtype: DType | None = None, **options: Any) -> Tensor:
    """Half a period of a sine."""
    formula = lambda k, span: np.sin(np.pi * (k + 0.5) / (span + 1))  # noqa: E731 - used once
    return _window("cosine", M, sym, formula, dtype, options)


@public(namespace="signal.windows", out=False)
def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True,
    dtype: DType | None = None, **options: Any,
) -> Tensor:  # fmt: skip
    """Exponential decay on both sides of a centre."""
    if tau <= 0:
        raise refusal.value(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise refusal.value(
            f"Center must be None for symmetric windows, got {center}",
            fix="pass sym=False with a centre.",
        )

    def formula(k: Any, span: int) -> Any:
        middle = span / 2 if center is None else center
        return np.exp(-np.abs(k - middle) / tau)

    return _window("exponential", M, sym, formula, dtype, options)


@public(namespace="signal.windows", out=False)
def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: DType | None = None, **options: Any
) -> Tensor:
    """The bell curve of a standard deviation."""
    if std <= 0:
        raise refusal.value(f"Standard deviation must be positive, got: {std} instead.")
    formula = lambda k, span: np.exp(-0.5 * ((k - span / 2) / std) ** 2)  # noqa: E731 - used once
    return _window("gaussian", M, sym, formula, dtype, options)


@public(namespace="signal.windows", out=False)
def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: DType | None = None, **options: Any
) -> Tensor:
    """The window by modified Bessel functions whose energy is nearly most concentrated."""
    if beta < 0:
        raise refusal.value(f"beta must be non-negative, got: {beta} instead.")
    return _window("kaiser", M, sym, _kaiser(beta), dtype, options)


# ---- the older functions -------------------------------------------------------------------------


def _old(
    name: str, count: int, periodic: bool, formula: Callable[..., Any], dtype: Any, options: Any
) -> Any:
    if count < 0:
        raise refusal.runtime(
            f"{name} requires non-negative window_length, got window_length={count}"
        )
    if dtype is not None and dtype.category < dtypes.FLOAT:
        raise refusal.runtime(f"{name} expects floating point dtypes, got: {dtype!r}")
    return _made(name, count, periodic, formula, dtype, options)


@public(method=False, out=False)
def hann_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, **options: Any
) -> Tensor:
    """The raised cosine; periodic unless said otherwise."""
    return _old("hann_window", window_length, periodic, _cosine_sum((0.5, 0.5)), dtype, options)


@public(method=False, out=False)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *,
    dtype: DType | None = None, **options: Any,
) -> Tensor:  # fmt: skip
    """alpha minus beta times a cosine; periodic unless said otherwise."""
    formula = _cosine_sum((alpha, beta))
    return _old("hamming_window", window_length, periodic, formula, dtype, options)


@public(method=False, out=False)
def blackman_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, **options: Any
) -> Tensor:
    """Three cosines with low side lobes; periodic unless said otherwise."""
    return _old("blackman_window", window_length, periodic, _cosine_sum(_BLACKMAN), dtype, options)


@public(method=False, out=False)
def bartlett_window(
    window_length: int, periodic: bool = True, *, dtype: DType | None = None, **options: Any
) -> Tensor:
    """The triangle; periodic unless said otherwise."""
    return _old("bartlett_window", window_length, periodic, _bartlett, dtype, options)


@public(method=False, out=False)
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: DType | None = None,
    **options: Any,
) -> Tensor:  # fmt: skip
    """The Kaiser window; periodic unless said otherwise."""
    if not math.isfinite(beta):
        raise refusal.runtime(f"kaiser_window expects a finite beta, got {beta}")
    return _old("kaiser_window", window_length, periodic, _kaiser(beta), dtype, options)
