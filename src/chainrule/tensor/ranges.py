"""Numbers in a row: arange, linspace and logspace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal, source
from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase
from ..ops import dtypes
from .creation import into, np_dtype, wanted_for, whole
from .scalars import a_number, number_for

if TYPE_CHECKING:
    from .annotations import DeviceLike, DType, Layout, Tensor


def arange(
    *args: Any, dtype: DType | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, layout: Layout | None = None, pin_memory: bool = False,
    out: Tensor | None = None, **named: Any,
) -> Tensor:  # fmt: skip
    """Numbers from start (default 0) to end (excluded) by step (default 1)."""
    plain = {k: a.item() if isinstance(a, TensorBase | np.generic) else a for k, a in named.items()}  # type: ignore[attr-defined]
    values = [a.item() if isinstance(a, TensorBase | np.generic) else a for a in args]  # type: ignore[attr-defined]
    start, end, step = _range_bounds(values, plain)
    if step == 0:
        raise refusal.runtime("step must be nonzero", "arange")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise refusal.runtime(f"unsupported range: {start} -> {end}", "arange")
    if (end - start) / step < 0:
        raise refusal.runtime(
            f"upper bound and lower bound inconsistent with step sign: arange({start}, {end}, "
            f"{step})"
        )
    if dtype is None and out is None:
        integral = all(isinstance(v, int) for v in (start, end, step))
        dtype = dtypes.int64 if integral else dtypes.get_default_dtype()
    wanted = wanted_for(out, dtype)
    if wanted == np.int64:  # whole numbers from the start, the count included
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise refusal.value("step must be nonzero as an integer", "arange")
    count = max(_ceil_div(end - start, step), 0)
    return into(out, _stepping(start, step, count, wanted), requires_grad, device)


def _ceil_div(a: Any, b: Any) -> int:
    """a / b rounded up: exactly for whole numbers."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)
    return math.ceil(a / b)


def _stepping(start: Any, step: Any, count: int, wanted: Any) -> np.ndarray:
    """start + k * step; in an integer type both are cut to whole numbers first."""
    steps = np.arange(count)
    if wanted.kind in "iu":
        return (int(start) + steps * int(step)).astype(wanted)
    return (start + steps.astype(np.float64) * step).astype(wanted)


def range_(start: int = 0, end: int | None = None, step: float = 1, **kwargs: Any) -> Tensor:
    """Numbers from start to end, the end included; deprecated in favour of arange."""
    if end is None:
        start, end = 0, start
    source.warn_user(
        "torch.range is deprecated and will be removed in a future release because its behavior is "
        "inconsistent with Python's range builtin. Use torch.arange, which excludes the end.",
    )
    if step == 0:
        raise RuntimeError("step must be nonzero")
    wanted = np_dtype(kwargs.pop("dtype", None))
    if wanted == np.int64:
        start, end, step = int(start), int(end), int(step)
    count = math.floor((end - start) / step) + 1
    out = kwargs.pop("out", None)
    grad, device = kwargs.pop("requires_grad", False), kwargs.pop("device", None)
    return into(out, _stepping(start, step, count, wanted), grad, device)


def _range_bounds(values: list[Any], named: dict[str, Any]) -> tuple[Any, Any, Any]:
    start, end, step = named.get("start", 0), named.get("end"), named.get("step", 1)
    if len(values) == 1:
        if "end" in named:
            start = values[0]
        else:
            end = values[0]
    elif len(values) >= 2:
        start, end = values[:2]
        step = values[2] if len(values) > 2 else step
    if end is None:
        raise TypeError("arange() needs an end: arange(end) or arange(start, end, step)")
    return start, end, step


def linspace(
    start: int, end: int, steps: int, *, dtype: DType | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False, layout: Layout | None = None,
    pin_memory: bool = False, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`steps` numbers evenly spaced from start to end, both included."""
    start, end = _bounds(start, end, "linspace")
    wanted, steps = wanted_for(out, dtype), whole(steps, "steps", "linspace")
    return into(out, _spaced(start, end, steps, wanted), requires_grad, device)


def _bounds(start: Any, end: Any, name: str) -> tuple[Any, Any]:
    """Numbers out of 0-dim tensors."""
    ranks = [v.ndim if isinstance(v, TensorBase) else 0 for v in (start, end)]  # type: ignore[attr-defined]
    if any(ranks):
        raise refusal.runtime(
            f"{name} only supports 0-dimensional start and end tensors, but got start with "
            f"{ranks[0]} dimension(s) and end with {ranks[1]} dimension(s)."
        )
    first, last = (v.item() if isinstance(v, TensorBase) else v for v in (start, end))  # type: ignore[attr-defined]
    return a_number(first, "start"), a_number(last, "end")


def _spaced(start: Any, end: Any, steps: int, wanted: Any) -> np.ndarray:
    """Counted from both ends towards the middle, so that the last value is exactly `end`."""
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    work = np.dtype(np.float64) if wanted.kind in "iu" else wanted  # halves round at each step
    if wanted.kind in "iu":
        start, end = (number_for(v, dtypes.from_numpy_dtype(wanted)) for v in (start, end))
    if steps == 1:
        return np.full(1, start, work).astype(wanted)
    one = work.type
    k = np.arange(steps)
    step = (one(end) - one(start)) / one(max(steps - 1, 1))
    front = one(start) + step * k.astype(work)
    back = one(end) - step * (steps - 1 - k).astype(work)
    return np.where(k < steps // 2, front, back).astype(wanted)


def logspace(
    start: int, end: int, steps: int, base: float = 10.0, *, dtype: DType | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False, layout: Layout | None = None,
    pin_memory: bool = False, out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Powers of `base` with evenly spaced exponents."""
    start, end = _bounds(start, end, "logspace")
    wanted, steps = wanted_for(out, dtype), whole(steps, "steps", "logspace")
    return into(out, _powers(start, end, steps, base, wanted), requires_grad, device)


def _powers(start: Any, end: Any, steps: int, base: float, wanted: Any) -> np.ndarray:
    work = np.dtype(np.float64)
    if wanted.kind in "iu":  # whole exponents at both ends, and single precision between
        start, end, work = int(start), int(end), np.dtype(np.float32)
    elif wanted.itemsize == 2:
        start, end, work = wanted.type(start), wanted.type(end), np.dtype(np.float32)
    exponents = _spaced(start, end, steps, work)
    if wanted.itemsize == 2 and wanted.kind not in "iu":
        return np.power(np.float32(base), exponents).astype(wanted)
    return np.power(float(base), exponents.astype(np.float64)).astype(wanted)


explain_module(globals())
