"""What ``tensor(data)`` makes of Python data: numbers, nested sequences, arrays.

Nested lists of plain numbers, the common case, are flattened level by level with C-speed
iteration (`_regular_entries`). Whatever else turns up — NumPy scalars, arrays or tensors inside
lists, other sequences, mistakes — is read entry by entry by `_Reader`, which knows where it is, so
that an error can name ``data[1][2]``.

More is accepted than PyTorch accepts, where the meaning is plain: objects with ``__array__`` or
``__array_interface__``, 0-dim arrays and every NumPy scalar inside lists, arrays with negative
strides or foreign byte order. One thing less: ``[[], [1]]`` is an error, PyTorch drops the 1.

The result never shares memory with `data`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from chainrule.autograd import source
from chainrule.ops.dtypes import BY_NUMPY, canonical, from_numpy_dtype, promote_types
from chainrule.ops.later import Later

errors = Later(".data_errors", __package__)
shown_memory = Later(".shown_memory", __package__)

__all__ = ["array_from_data", "default_dtype_for"]

Unwrap = Callable[[object], "np.ndarray | None"]
Place = tuple[int, ...]

_BOOL, _INT64, _UINT64 = np.dtype("bool"), np.dtype("int64"), np.dtype("uint64")
_FLOAT32, _FLOAT64 = np.dtype("float32"), np.dtype("float64")
_COMPLEX64, _COMPLEX128 = np.dtype("complex64"), np.dtype("complex128")

_PYTHON_NUMBERS = {bool, int, float, complex}
_NUMPY_NUMBERS = {dtype.type for dtype in BY_NUMPY}
_LISTS = {list, tuple}

# Inside these bounds a double becomes a float32 without the warning NumPy gives on overflow.
_FLOAT32_SAFE = 3e38
_INT64_SAFE = 2**63


def array_from_data(
    data: Any,
    dtype: np.dtype | None = None,
    default_float: np.dtype = _FLOAT32,
    unwrap: Unwrap | None = None,
) -> np.ndarray:
    """A new array with the values, shape and type that ``torch.tensor(data, dtype=dtype)`` has.

    `default_float` is the type of Python floats. `unwrap` tells tensors from other objects: it
    returns a tensor's array, and None for everything else.

    >>> array_from_data([[1, 2.5], [3, True]])
    array([[1. , 2.5],
           [3. , 1. ]], dtype=float32)
    """
    kind = type(data)
    if kind is float:
        target = default_float if dtype is None else dtype
        if target is _FLOAT64 or (target is _FLOAT32 and -_FLOAT32_SAFE < data < _FLOAT32_SAFE):
            return np.array(data, target)
    elif kind is list or kind is tuple:
        array = _from_lists(data, dtype, default_float)
        return _Reader(data, dtype, default_float, unwrap).result() if array is None else array
    if kind in _PYTHON_NUMBERS:
        if dtype is None and (kind is bool or (kind is int and -_INT64_SAFE < data < _INT64_SAFE)):
            return np.array(data, _INT64 if kind is int else _BOOL)
        target = _natural_dtype({kind}, default_float) if dtype is None else dtype
        return _numbers_to_array([data], {kind}, target, ()).reshape(())
    return canonical(_from_object(data, dtype, default_float, unwrap))


def default_dtype_for(scalar: object, default_float: np.dtype = _FLOAT32) -> np.dtype:
    """The type that one number gets on its own.

    A NumPy scalar keeps its type. A Python number gets bool, int64, `default_float`, or the
    complex type that goes with it.
    """
    if isinstance(scalar, np.generic):
        return _supported(scalar, ()).dtype
    kind = _number_kind(scalar)
    if kind is None:
        raise errors.cannot_infer(scalar, ())
    return _natural_dtype({kind}, default_float)


def _natural_dtype(kinds: set[type], default_float: np.dtype) -> np.dtype:
    """The type of a tensor made of Python numbers of these kinds (of none: the default float)."""
    if complex in kinds:
        return _COMPLEX128 if default_float == _FLOAT64 else _COMPLEX64
    if float in kinds or not kinds:
        return default_float
    return _INT64 if int in kinds else _BOOL


def _number_kind(item: object) -> type | None:
    """Which Python number an object is, also by inheritance."""
    for kind in (bool, int, float, complex):
        if isinstance(item, kind):
            return kind
    return None


# ----- Plain nested lists ------------------------------------------------------------------------


def _regular_entries(data: list | tuple) -> tuple[list | tuple, tuple[int, ...]] | None:
    """The innermost entries in one list, and the shape, if `data` is evenly nested lists."""
    entries: list | tuple = data
    shape = [len(data)]
    while entries and type(entries[0]) in _LISTS:
        if not set(map(type, entries)) <= _LISTS:
            return None
        lengths = set(map(len, entries))
        if len(lengths) > 1:
            return None
        if len(shape) == errors.MOST_DIMENSIONS:
            raise errors.too_deep(entries[0])
        shape.append(lengths.pop())
        entries = list(chain.from_iterable(entries))
    return entries, tuple(shape)


def _from_lists(
    data: list | tuple, dtype: np.dtype | None, default_float: np.dtype
) -> np.ndarray | None:
    """The array of evenly nested lists of numbers; None for data that takes a closer look."""
    regular = _regular_entries(data)
    if regular is None:
        return None
    entries, shape = regular
    kinds = set(map(type, entries))
    if kinds <= _PYTHON_NUMBERS:
        target = _natural_dtype(kinds, default_float) if dtype is None else dtype
        array = _numbers_to_array(entries, kinds, target, shape)
    elif dtype is None and len(kinds) == 1 and kinds <= _NUMPY_NUMBERS:
        array = np.array(entries)
    else:
        return None
    return array if len(shape) == 1 else array.reshape(shape)


# Overflow to infinity is what PyTorch does too; NumPy would warn.
@np.errstate(all="ignore")
def _numbers_to_array(
    numbers: list | tuple,
    kinds: set[type],
    target: np.dtype,
    shape: tuple[int, ...],
    offset: int = 0,
) -> np.ndarray:
    """A flat array of Python numbers; errors call `numbers[0]` entry `offset` of the `shape`."""
    kind = target.kind
    if target is _FLOAT32 and not kinds - {float, bool}:
        return np.array(numbers, target)
    if kind == "b":
        return np.array([bool(number) for number in numbers], target)
    if kind in "iu":
        return _integers(numbers, kinds, target, shape, offset)
    if complex in kinds and kind != "c":
        first = next(i for i, number in enumerate(numbers) if type(number) is complex)
        raise errors.wrong_number(
            numbers[first],
            target,
            errors.name_at(shape, first + offset),
            "use a complex dtype, or the .real of the entry",
        )
    try:
        wide = np.array(numbers, _COMPLEX128 if kind == "c" else _FLOAT64)
    except OverflowError:
        first = next(
            i for i, n in enumerate(numbers) if isinstance(n, int) and n.bit_length() > 1023
        )
        raise errors.float_overflow(numbers[first], errors.name_at(shape, first + offset)) from None
    if target.itemsize < 4:
        # PyTorch rounds to half precision by way of float32.
        wide = wide.astype(_FLOAT32)
    return wide.astype(target, copy=False)


def _integers(
    numbers: list | tuple, kinds: set[type], target: np.dtype, shape: tuple[int, ...], offset: int
) -> np.ndarray:
    """Python numbers as integers: fractions are cut off, values out of range are errors."""
    refused = kinds & ({float, complex} if target == _UINT64 else {complex})
    if refused:
        first = next(i for i, number in enumerate(numbers) if type(number) in refused)
        name = errors.name_at(shape, first + offset)
        raise errors.wrong_number(numbers[first], target, name, "convert it first")
    if kinds == {float}:
        return _checked_integers(np.array(numbers, _FLOAT64), target, shape, offset)
    if float in kinds:
        # One by one: in a common float array large ints would lose digits.
        singles = [
            _integers([n], {type(n)}, target, shape, offset + i) for i, n in enumerate(numbers)
        ]
        return np.concatenate(singles)
    wide = _UINT64 if target == _UINT64 else _INT64
    try:
        array = np.array(numbers, wide)
    except OverflowError:
        limits = np.iinfo(wide)
        first = next(i for i, n in enumerate(numbers) if not limits.min <= n <= limits.max)
        overflow = errors.uint64_overflow if wide is _UINT64 else errors.int64_overflow
        raise overflow(numbers[first], errors.name_at(shape, first + offset)) from None
    return _checked_integers(array, target, shape, offset)


def _checked_integers(
    array: np.ndarray, target: np.dtype, shape: tuple[int, ...], offset: int
) -> np.ndarray:
    """Cast a flat array to integers after a look at the range."""
    if array.dtype == target or array.dtype == _BOOL:
        return array.astype(target, copy=False)
    limits = np.iinfo(target)
    lowest: float = limits.min
    highest: float = limits.max
    if array.dtype.kind not in "iu":
        array = array.astype(_FLOAT64, copy=False)
        lowest, highest = float(lowest), float(highest)
    elif target.kind == "u" and target != _UINT64:
        # As in PyTorch, -1 stands for the largest value: a negative int may wrap around once.
        lowest = -limits.max
    fits = (array >= lowest) & (array <= highest)
    if not fits.all():
        first = int(np.argmin(fits))
        value = array[first].item()
        raise errors.out_of_range(value, target, errors.name_at(shape, first + offset))
    return array.astype(target)


# ----- Arrays and other objects ------------------------------------------------------------------


def _from_object(
    data: Any, dtype: np.dtype | None, default_float: np.dtype, unwrap: Unwrap | None
) -> np.ndarray:
    """Anything that is neither a plain number nor a list."""
    if isinstance(data, str | bytes):
        raise errors.invalid_type(data, ())
    array = unwrap(data) if unwrap is not None else None
    if array is None:
        array = _array_behind(data)
    if array is None and hasattr(type(data), "__dlpack__"):
        array = shown_memory.array_of_capsule(data)
    if array is None:
        return _Reader(data, dtype, default_float, unwrap).result()
    array = _supported(array, ())
    return _cast(array, array.dtype if dtype is None else dtype)


def _array_behind(item: Any) -> np.ndarray | None:
    """The array that an object is or offers; a NumPy scalar is not taken for one."""
    if isinstance(item, np.ndarray):
        return np.asarray(item)  # of a matrix or a masked array what any array is
    if isinstance(item, np.generic | type):
        return None
    if hasattr(item, "__array__") or hasattr(item, "__array_interface__"):
        array = shown_memory.array_shown_by(item)
        if hasattr(item, "null_count") or hasattr(item, "isna"):
            from chainrule.tensor.columns import check_missing

            check_missing(item, array)
        return array
    return None


def _supported(array: Any, place: Place) -> Any:
    """The same array or scalar in native byte order; an error if no tensor can hold its type."""
    try:
        known = from_numpy_dtype(array.dtype).np
    except TypeError:
        raise errors.unsupported_array(array, place) from None
    return array.astype(known, copy=False)


@np.errstate(all="ignore")
def _cast(array: np.ndarray, target: np.dtype) -> np.ndarray:
    """Copy whole arrays as C casts them: integers wrap around, and nothing is checked."""
    if array.dtype.kind == "c" and target.kind not in "cb":
        source.warn_user("Casting complex values to real discards the imaginary part", UserWarning)
        array = np.real(array)
    # A broadcast axis has stride 0, which "K" would take for the innermost one.
    return array.astype(target, order="C" if 0 in array.strides else "K")


def _is_sequence(item: Any) -> bool:
    kind = type(item)
    return (
        hasattr(kind, "__getitem__")
        and hasattr(kind, "__len__")
        and not isinstance(item, Mapping | np.generic)
    )


def _kinds_inside(data: Any) -> set[type]:
    """Which kinds of Python numbers occur anywhere; an empty list counts as floats."""
    if isinstance(data, list | tuple):
        return set().union(*map(_kinds_inside, data)) if data else {float}
    return {type(data)} & _PYTHON_NUMBERS


# ----- Irregular data ----------------------------------------------------------------------------


class _Reader:
    """Collects the entries of nested data in order: single numbers and whole arrays."""

    def __init__(
        self, data: Any, dtype: np.dtype | None, default_float: np.dtype, unwrap: Unwrap | None
    ) -> None:
        self.data = data
        self.dtype = dtype
        self.default_float = default_float
        self.unwrap: Unwrap = unwrap or (lambda item: None)
        self.shape = self.shape_of(data)
        self.count = 0
        self.numbers: list[tuple[int, Any]] = []
        self.blocks: list[tuple[int, np.ndarray]] = []
        self.dtypes: set[np.dtype] = set()

    def shape_of(self, item: Any) -> tuple[int, ...]:
        """The shape that the first entry of every level promises."""
        shape: list[int] = []
        while self.unwrap(item) is None:
            block = _array_behind(item)
            if block is not None:
                return (*shape, *block.shape)
            self.refuse_text(item, (0,) * len(shape))
            if not _is_sequence(item):
                break
            if len(shape) == errors.MOST_DIMENSIONS:
                raise errors.too_deep(item)
            shape.append(len(item))
            if shape[-1] == 0:
                break
            try:
                item = item[0]
            except Exception as failure:
                place = (0,) * (len(shape) - 1)
                raise errors.no_first_entry(item, failure, place) from failure
        return tuple(shape)

    def refuse_text(self, item: Any, place: Place) -> None:
        """Text is a sequence of text without end; bytes are ints, if the dtype says so."""
        if isinstance(item, str) and item:
            raise errors.strings_inside(item, place)
        if isinstance(item, str) or (isinstance(item, bytes) and self.dtype is None):
            raise errors.invalid_type(item, place)

    def read(self, item: Any, place: Place) -> None:
        depth = len(place)
        block = _array_behind(item) if self.unwrap(item) is None else None
        if block is not None:
            self.read_block(block, place)
        elif depth == len(self.shape):
            number, source = self.number_behind(item, place)
            self.dtypes.add(source)
            self.numbers.append((self.count, number))
            self.count += 1
        elif self.is_plain_sequence(item):
            entries = list(item)
            if len(entries) != self.shape[depth]:
                raise errors.uneven(self.shape[depth], len(entries), depth, place)
            for i, entry in enumerate(entries):
                self.read(entry, (*place, i))
        else:
            # Whatever is wrong with the entry itself is said first.
            self.number_behind(item, place)
            raise errors.not_a_sequence(item, place, self.shape[depth])

    def is_plain_sequence(self, item: Any) -> bool:
        text = isinstance(item, str) or (isinstance(item, bytes) and self.dtype is None)
        return not text and self.unwrap(item) is None and _is_sequence(item)

    def read_block(self, block: np.ndarray, place: Place) -> None:
        block = _supported(block, place)
        depth = len(place)
        expected = self.shape[depth:]
        for axis, (got, wanted) in enumerate(zip(block.shape, expected, strict=False)):
            if got != wanted:
                raise errors.uneven(wanted, got, depth + axis, place)
        if block.ndim > len(expected):
            raise errors.array_where_number(block, place)
        if block.ndim < len(expected):
            raise errors.not_a_sequence(block, place, expected[block.ndim])
        self.dtypes.add(block.dtype)
        self.blocks.append((self.count, block))
        self.count += block.size

    def number_behind(self, item: Any, place: Place) -> tuple[Any, np.dtype]:
        """The Python number that an entry stands for, and the type the entry asks for."""
        array = self.unwrap(item)
        if array is not None:
            if array.size != 1:
                raise errors.tensor_where_number(tuple(array.shape), place)
            return array.item(), array.dtype
        if isinstance(item, np.generic) and not isinstance(item, str | bytes):
            native = _supported(item, place)
            return native.item(), native.dtype
        kind = _number_kind(item)
        if kind is not None:
            return kind(item), _natural_dtype({kind}, self.default_float)
        if isinstance(item, str | bytes) and self.dtype is None:
            raise errors.invalid_type(item, place)
        if self.is_plain_sequence(item):
            asked = self.dtype
            if asked is None:
                asked = _natural_dtype(_kinds_inside(self.data), self.default_float)
            raise errors.nested_where_number(item, asked, place)
        if self.dtype is None:
            raise errors.cannot_infer(item, place)
        return self.coerced(item, self.dtype, place), self.dtype

    def coerced(self, item: Any, dtype: np.dtype, place: Place) -> int | float:
        """A number out of ``__index__`` or ``__float__``, which an explicit dtype allows."""
        if not isinstance(item, str | bytes):
            try:
                return operator.index(item) if dtype.kind in "biu" else float(item)
            except TypeError:
                pass
        raise errors.wrong_number(item, dtype, errors.name_of(place))

    def result(self) -> np.ndarray:
        self.read(self.data, ())
        target = self.promoted() if self.dtype is None else self.dtype
        if not self.blocks:
            numbers = [number for _, number in self.numbers]
            flat = _numbers_to_array(numbers, set(map(type, numbers)), target, self.shape)
            return flat.reshape(self.shape)
        flat = np.empty(self.count, target)
        for start, block in self.blocks:
            flat[start : start + block.size] = self.block_as(block.reshape(-1), target, start)
        for start, number in self.numbers:
            flat[start : start + 1] = _numbers_to_array(
                [number], {type(number)}, target, self.shape, start
            )
        return flat.reshape(self.shape)

    def promoted(self) -> np.dtype:
        found = [from_numpy_dtype(dtype) for dtype in self.dtypes]
        if not found:
            return self.default_float
        result = found[0]
        for dtype in found[1:]:
            result = promote_types(result, dtype)
        return result.np

    def block_as(self, block: np.ndarray, target: np.dtype, start: int) -> np.ndarray:
        """Entries of arrays inside lists are checked like the numbers they stand for."""
        if target.kind not in "iu" or block.size == 0:
            return _cast(block, target)
        integral = block.dtype.kind in "biu"
        if block.dtype.kind == "c" or (target == _UINT64 and not integral):
            name = errors.name_at(self.shape, start)
            raise errors.wrong_number(block[0], target, name, "convert it first")
        with np.errstate(all="ignore"):
            return _checked_integers(block, target, self.shape, start)
