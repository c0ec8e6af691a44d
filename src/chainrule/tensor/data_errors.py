"""What is said when Python data cannot become a tensor.

Every message begins with PyTorch's sentence, the one people search for, then names the entry as
``data[1][2]``, its value and a way out. A `place` is the tuple of indices that leads to an entry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from chainrule.ops.dtypes import ALL

MOST_DIMENSIONS = 64

Place = tuple[int, ...]

_UINT64 = np.dtype("uint64")
_HEAP_TYPE_FLAG = 1 << 9


# ----- Naming entries, values and types ----------------------------------------------------------


def name_of(place: Place) -> str:
    return "data" + "".join(f"[{i}]" for i in place)


def name_at(shape: tuple[int, ...], flat_index: int) -> str:
    """The name of the entry at a place in the flattened data."""
    return name_of(tuple(int(i) for i in np.unravel_index(flat_index, shape)) if shape else ())


def _short(item: Any) -> str:
    text = repr(item)
    return text if len(text) <= 40 else f"a {type(item).__name__}"


def _type_name(item: Any) -> str:
    """The name PyTorch shows: that of a type written in C includes its module."""
    kind = type(item)
    made_in_python = bool(kind.__flags__ & _HEAP_TYPE_FLAG)
    if made_in_python or kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


def _advice(item: Any) -> str:
    kind = type(item)
    if item is None:
        return "put float('nan') where a value is missing"
    if isinstance(item, Mapping):
        return "pass list(d.values()) if the values are numbers"
    if isinstance(item, set | frozenset):
        return "a set has no order, pass sorted(...) or list(...) of it"
    if hasattr(kind, "__iter__"):
        return "pass list(...) of it"
    if hasattr(kind, "__float__"):
        return "pass float(...) of it, or a floating dtype"
    return "a tensor holds bools, ints, floats and complex numbers only"


# ----- No number at all --------------------------------------------------------------------------


def cannot_infer(item: Any, place: Place) -> RuntimeError:
    return RuntimeError(
        f"Could not infer dtype of {_type_name(item)}: {name_of(place)} is {_short(item)}; "
        f"{_advice(item)}"
    )


def invalid_type(item: str | bytes, place: Place) -> TypeError:
    fix = "convert text with float(...) first, or map labels to integers"
    if isinstance(item, bytes):
        fix = "list(...) of it gives the bytes as ints"
    return TypeError(
        f"new(): invalid data type '{_type_name(item)}': {name_of(place)} is {_short(item)}; {fix}"
    )


def strings_inside(item: str, place: Place) -> ValueError:
    return ValueError(
        f"too many dimensions 'str': {name_of(place)} is {_short(item)}, and a tensor holds no "
        f"text; convert it with float(...) first, or map labels to integers"
    )


def wrong_number(item: Any, target: np.dtype, name: str, why: str | None = None) -> TypeError:
    """An entry that the dtype has no conversion for."""
    kind = _type_name(item)
    if target == _UINT64:
        phrase = "an integer is required"
    elif target.kind in "biu":
        phrase = f"'{kind}' object cannot be interpreted as an integer"
    else:
        phrase = f"must be real number, not {kind}"
    why = why or _advice(item)
    return TypeError(f"{phrase}: {name} is {_short(item)} and the dtype is {target.name}; {why}")


def unsupported_array(array: np.ndarray | np.generic, place: Place) -> TypeError:
    fix = "convert it first, e.g. with .astype(np.float32)"
    if array.dtype.kind in "Mm":
        fix = "take the count of its unit with .astype(np.int64)"
    return TypeError(
        f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported "
        f"types are: {', '.join(dtype.name for dtype in ALL)}. {name_of(place)} has this type; "
        f"{fix}"
    )


# ----- Numbers that do not fit -------------------------------------------------------------------


def out_of_range(value: Any, target: np.dtype, name: str) -> RuntimeError:
    limits = np.iinfo(target)
    return RuntimeError(
        f"value cannot be converted to type {target.name} without overflow: {name} is {value!r} "
        f"and {target.name} goes from {limits.min} to {limits.max}; choose a wider dtype"
    )


def int64_overflow(number: int, name: str) -> ValueError:
    return ValueError(
        f"Overflow when unpacking long long: {name} is {_short(number)} and int64 goes from -2**63 "
        f"to 2**63 - 1; pass a floating dtype if an approximation will do"
    )


def uint64_overflow(number: int, name: str) -> OverflowError:
    phrase = "can't convert negative int to unsigned" if number < 0 else "int too big to convert"
    return OverflowError(f"{phrase}: {name} is {_short(number)}, uint64 goes from 0 to 2**64 - 1")


def float_overflow(number: int, name: str) -> OverflowError:
    return OverflowError(
        f"int too large to convert to float: {name} has {number.bit_length()} bits, and a float64 "
        f"ends below 2**1024"
    )


# ----- Structure ---------------------------------------------------------------------------------


def too_deep(item: Any) -> ValueError:
    return ValueError(
        f"too many dimensions '{_type_name(item)}': data is nested more than {MOST_DIMENSIONS} "
        f"levels deep; does a list contain itself?"
    )


def no_first_entry(sequence: Any, failure: Exception, place: Place) -> ValueError:
    return ValueError(
        f"could not determine the shape of object type '{_type_name(sequence)}': "
        f"{name_of(place)} has length {len(sequence)}, but its entry [0] raised "
        f"{type(failure).__name__}; pass a list"
    )


def uneven(wanted: int, got: int, axis: int, place: Place) -> ValueError:
    first = (0,) * len(place)
    return ValueError(
        f"expected sequence of length {wanted} at dim {axis} (got {got}): {name_of(place)} has "
        f"{got} where {name_of(first)} has {wanted}; a tensor has no uneven rows, so pad the short "
        f"ones or keep a list of tensors"
    )


def not_a_sequence(item: Any, place: Place, wanted: int) -> TypeError:
    return TypeError(
        f"not a sequence: {name_of(place)} is {_short(item)} where {name_of((0,) * len(place))} "
        f"has {wanted} entries; nest every entry equally deep"
    )


def nested_where_number(item: Any, target: np.dtype, place: Place) -> TypeError:
    first = name_of((0,) * len(place))
    return wrong_number(
        item, target, name_of(place), f"{first} is a number, so nest every entry equally deep"
    )


def array_where_number(array: np.ndarray, place: Place) -> TypeError:
    return TypeError(
        f"only 0-dimensional arrays can be converted to Python scalars: {name_of(place)} is an "
        f"array of shape {array.shape} where {name_of((0,) * len(place))} is a number"
    )


def tensor_where_number(shape: tuple[int, ...], place: Place) -> ValueError:
    return ValueError(
        f"only one element tensors can be converted to Python scalars: {name_of(place)} is a "
        f"tensor of shape {shape}; join tensors with torch.stack(...)"
    )
