"""Data types of the standard: their kinds, promotion, and what is known about them.

PyTorch's own promotion differs in three ways: 0-dim tensors count less than others there, unsigned
types do not mix with signed ones, and integers become floats. Functions of this namespace promote
as the standard says; what it leaves open (integers with floats) is answered as PyTorch answers it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd import refusal

bool = torch.bool
int8, int16, int32, int64 = torch.int8, torch.int16, torch.int32, torch.int64
uint8, uint16, uint32, uint64 = torch.uint8, torch.uint16, torch.uint32, torch.uint64
float32, float64 = torch.float32, torch.float64
complex64, complex128 = torch.complex64, torch.complex128

KINDS: dict[str, tuple[Any, ...]] = {
    "bool": (bool,),
    "signed integer": (int8, int16, int32, int64),
    "unsigned integer": (uint8, uint16, uint32, uint64),
    "real floating": (float32, float64),
    "complex floating": (complex64, complex128),
}
KINDS["integral"] = KINDS["signed integer"] + KINDS["unsigned integer"]
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]
DTYPES = {str(d).removeprefix("torch."): d for d in (bool, *KINDS["numeric"])}

_SIGNED_FOR = {uint8: int16, uint16: int32, uint32: int64}  # the next larger signed type
_HALVES = (torch.float16, torch.bfloat16)  # beside the standard: floats as good as any


def is_array(x: Any) -> Any:
    """Whether it is an array of this namespace."""
    return isinstance(x, torch.Tensor)


def array(x: Any, name: str) -> Any:
    """The array, or an error: functions of the standard take no lists and no NumPy arrays."""
    if not isinstance(x, torch.Tensor):
        raise refusal.wrong_type(
            f"{name}: expected an array, got {type(x).__name__} {x!r:.40}",
            fix="xp.asarray(...) makes an array of it.",
        )
    return x


def is_kind(dtype: Any, *kinds: str) -> Any:
    """Whether a type is of one of the kinds; half precision counts as real floating."""
    if dtype in _HALVES:
        return "real floating" in kinds or "numeric" in kinds
    return any(dtype in KINDS[kind] for kind in kinds)


def promote(a: Any, b: Any) -> Any:
    """The type that values of two types have together."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if one in KINDS["unsigned integer"] and other in KINDS["signed integer"]:
            wide = _SIGNED_FOR.get(one)
            if wide is None:
                raise refusal.wrong_type(
                    f"{one} and {other} have no common type: the standard defines none that holds "
                    "the values of both",
                    fix="convert one with xp.astype(x, dtype).",
                )
            return wide if wide.itemsize > other.itemsize else other
    return torch.promote_types(a, b)


def with_scalar(dtype: Any, scalar: Any) -> Any:
    """The type of an array of this type together with a Python number."""
    if isinstance(scalar, np.generic):
        return promote(dtype, torch.from_numpy(np.empty(0, scalar.dtype)).dtype)
    if not isinstance(scalar, int | float | complex):
        raise refusal.wrong_type(
            f"expected an array or a number, got {type(scalar).__name__} {scalar!r:.40}"
        )
    if scalar is True or scalar is False:
        return dtype
    if isinstance(scalar, int):
        return int64 if dtype == bool else dtype
    if isinstance(scalar, float):
        floating = is_kind(dtype, "real floating", "complex floating")
        return dtype if floating else torch.get_default_dtype()
    if is_kind(dtype, "complex floating"):
        return dtype
    real = dtype if is_kind(dtype, "real floating") else torch.get_default_dtype()
    return complex128 if real == float64 else complex64


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The type that results from arrays, types and Python numbers together."""
    if not arrays_and_dtypes:
        raise refusal.value("result_type needs an array or a dtype")
    found, scalars = None, []
    for item in arrays_and_dtypes:
        if isinstance(item, torch.Tensor | torch.dtype):
            dtype = item.dtype if isinstance(item, torch.Tensor) else item
            found = dtype if found is None else promote(found, dtype)
        else:
            scalars.append(item)
    if found is None:
        raise refusal.value(f"result_type needs an array or a dtype beside the numbers {scalars}")
    for scalar in scalars:
        found = with_scalar(found, scalar)
    return found


def promoted(name: str, x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two operands as arrays of their common type; one of them may be a Python number."""
    if not is_array(x1) and not is_array(x2):
        raise refusal.wrong_type(
            f"{name}: at least one operand must be an array, got {type(x1).__name__} and "
            f"{type(x2).__name__}"
        )
    target = result_type(x1, x2)
    return as_type(x1, target), as_type(x2, target)


def as_type(x: Any, dtype: Any) -> Any:
    """An array or a number as an array of a type, the same one where it is of that type."""
    if not is_array(x):
        return scalar_array(x, dtype)
    return x if x.dtype == dtype else x.to(dtype)


def scalar_array(number: Any, dtype: Any) -> Any:
    """A 0-dim array of a Python number, which the type must be able to hold."""
    if is_kind(dtype, "integral") and isinstance(number, int):
        limits = torch.iinfo(dtype)
        if not limits.min <= int(number) <= limits.max:
            raise refusal.of_kind(
                OverflowError, f"Python integer {number} out of bounds for {dtype}"
            )
    return torch.tensor(number, dtype=dtype)


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    """The values converted to a type: a copy, unless `copy=False` and nothing needs to change."""
    x = array(x, "astype").to(device) if device is not None else array(x, "astype")
    if x.dtype == dtype:
        return x.clone() if copy else x
    if x.dtype.is_complex and not dtype.is_complex and dtype != bool:
        raise refusal.wrong_type(
            f"astype: {x.dtype} values have no {dtype} equivalent, the imaginary part would be "
            "lost",
            fix="xp.real(x) or xp.abs(x) first.",
        )
    return x.to(dtype)


def can_cast(from_: Any, to: Any, /) -> Any:
    """Whether promotion alone turns one type into the other."""
    dtype = from_.dtype if is_array(from_) else from_
    for given in (dtype, to):
        if not isinstance(given, torch.dtype):
            raise refusal.wrong_type(
                f"can_cast takes arrays and dtypes, got {type(given).__name__}"
            )
    if dtype != to and is_kind(dtype, "integral") and not is_kind(to, "integral"):
        return False  # the standard promotes no integers to floats
    try:
        return dtype == to or (dtype != bool and promote(dtype, to) == to)
    except TypeError:
        return False


def isdtype(dtype: Any, kind: Any) -> Any:
    """Whether a type is of a kind: another type, a name such as "real floating", or any of a tuple
    of these."""
    if not isinstance(dtype, torch.dtype):
        raise refusal.wrong_type(f"isdtype: expected a dtype, got {dtype!r:.40}")
    if isinstance(kind, tuple):
        return any([isdtype(dtype, one) for one in kind])
    if isinstance(kind, torch.dtype):
        return dtype == kind
    if isinstance(kind, str):
        if kind not in KINDS:
            raise refusal.value(
                f"unrecognized data type kind: {kind!r}. The kinds are "
                f"{', '.join(map(repr, KINDS))}"
            )
        return is_kind(dtype, kind)
    raise refusal.wrong_type(f"kind must be a dtype, a name or a tuple of these, not {kind!r:.40}")


@dataclass(frozen=True)
class finfo_object:
    """What is known about a floating type."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


@dataclass(frozen=True)
class iinfo_object:
    """What is known about an integer type."""

    bits: int
    max: int
    min: int
    dtype: Any


def finfo(type: Any, /) -> finfo_object:
    """Limits of a floating type (of its parts for a complex one)."""
    dtype = type.dtype if is_array(type) else type
    known = torch.finfo(dtype)
    real = {complex64: float32, complex128: float64}.get(dtype, dtype)
    return finfo_object(
        known.bits, float(known.eps), float(known.max), float(known.min),
        float(known.smallest_normal), real,
    )  # fmt: skip


def iinfo(type: Any, /) -> iinfo_object:
    """Limits of an integer type."""
    dtype = type.dtype if is_array(type) else type
    known = torch.iinfo(dtype)
    return iinfo_object(known.bits, int(known.max), int(known.min), dtype)


def sum_type(dtype: Any) -> Any:
    """The type in which values of a type are added up and multiplied: small integers overflow."""
    if dtype == bool or is_kind(dtype, "signed integer"):
        return int64
    return uint64 if is_kind(dtype, "unsigned integer") else dtype


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Axes as a tuple of numbers counted from the front; None means all of them."""
    if axis is None:
        return tuple(range(ndim))
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    made = tuple(axis_of(one, ndim) for one in given)
    if len(set(made)) != len(made):
        raise refusal.value(f"repeated axis in {given}")
    return made


def axis_of(axis: Any, ndim: int) -> int:
    """One axis counted from the front."""
    number = axis.__index__()
    if not -ndim <= number < ndim:
        raise refusal.index(f"axis {number} is out of bounds for array of dimension {ndim}")
    return number % ndim


def default_complex() -> Any:
    """The complex type that goes with the default floating type."""
    return complex128 if torch.get_default_dtype() == float64 else complex64


def size_of(shape: Any) -> int:
    return math.prod(shape)
