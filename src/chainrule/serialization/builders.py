"""The containers and small values that a file may ask for by name, made within its allowance.

Each takes the machine first, then what the file hands over, which can be anything.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from sys import getsizeof
from typing import Any

from ..autograd.value import TensorBase
from ..tensor.device import device
from ..tensor.parameter import Parameter
from ..tensor.size import Size
from .limits import Damaged, brief, current

_BATCH = 1000  # keys between two looks at the clock
_ENTRY = 100  # bytes of an entry of a dict or a set, while it grows


def _table(entries: int, wide: bool) -> int:
    """Bytes of a dict that has grown to so many entries; `wide` with keys that are not all text."""
    slots = max(8, 1 << (3 * entries // 2).bit_length())
    while slots > 8 and slots // 2 * 2 // 3 >= entries:
        slots //= 2
    index = 1 if slots < 1 << 8 else 2 if slots < 1 << 16 else 4
    return 112 + slots * index + slots * 2 // 3 * (24 if wide else 16)


def _charge_entries(m: Any, target: Any, keys: list[Any]) -> None:
    """Count the memory that new entries of a dict take, before they are put there."""
    if type(target) is not dict:  # these link their entries as well, or are somebody's own
        current().objects(2 * _ENTRY * len(keys) + (0 if target else 168))
        return
    before, count = getsizeof(target), len(target) + len(keys)
    wide = not all(type(key) is str for key in keys) or before >= _table(len(target), True)
    more = _table(count, wide) - before
    if more > 64:  # it becomes a larger one, not a slightly better estimate
        m.passing(before)  # the old table stays until the new one is filled
        current().objects(more)


def put_pairs(m: Any, target: Any, pairs: list[tuple[Any, Any]]) -> None:
    """Set items of a dict or its kin."""
    _charge_entries(m, target, [key for key, _ in pairs])
    if len(pairs) == 1 and (type(pairs[0][0]) is str or len(target) < _BATCH):
        key, value = pairs[0]
        _charge_keys(m, (key,))
        target[key] = value
        return
    for begin in range(0, len(pairs), _BATCH):
        part = pairs[begin : begin + _BATCH]
        _charge_keys(m, [key for key, _ in part])
        start = time.thread_time()
        if type(target) is dict:
            target.update(part)
        else:
            for key, value in part:
                target[key] = value
        current().insertions(len(part), time.thread_time() - start)


def put_members(m: Any, target: set[Any], members: Any) -> None:
    """Add items to a set."""
    members = list(members)
    for begin in range(0, len(members), _BATCH):
        part = members[begin : begin + _BATCH]
        _charge_keys(m, part)
        start = time.thread_time()
        target.update(part)
        current().insertions(len(part), time.thread_time() - start)


def _charge_keys(m: Any, keys: Any) -> None:
    # Equal texts are compared letter by letter, whatever is known of their hashes.
    steps = sum(m.nesting.weight(key) for key in keys if type(key) is not str or len(key) > 511)
    if steps:
        current().work(steps)


def _counted(items: Any, *kinds: type, entry: int = _ENTRY) -> Any:
    """A container that is about to be copied."""
    if type(items) not in kinds:
        raise Damaged(f"its pickle makes a container of {brief(items)}")
    current().objects(80 + entry * len(items))
    return items


def _ordered_dict(m: Any, items: Any = ()) -> OrderedDict[Any, Any]:
    made: OrderedDict[Any, Any] = OrderedDict()
    found = _counted(items, tuple, list, dict, OrderedDict, entry=2 * _ENTRY)
    pairs = list(found.items()) if isinstance(found, dict) else list(found)
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise Damaged(f"its pickle makes an OrderedDict of {brief(pair)}, not of pairs")
    put_pairs(m, made, [(key, value) for key, value in pairs])
    return made


def _counter(m: Any, counts: Any = None) -> Counter[Any]:
    made: Counter[Any] = Counter()
    put_pairs(m, made, list(_counted({} if counts is None else counts, dict, Counter).items()))
    return made


def _set(m: Any, items: Any = ()) -> set[Any]:
    made: set[Any] = set()
    put_members(m, made, _counted(items, list, tuple, set, frozenset))
    return made


def frozen_set(m: Any, items: list[Any]) -> frozenset[Any]:
    """A frozen set of the items."""
    current().objects(216 + _ENTRY * len(items))
    made: set[Any] = set()
    put_members(m, made, items)
    return m.nesting.note(frozenset(made))


def _bytes(m: Any, text: Any, encoding: Any = "latin1") -> bytes:
    """Pickles of protocol 2 write bytes as text; no other codec is looked up."""
    known = ("latin1", "latin-1", "iso8859-1")
    if not isinstance(text, str) or type(encoding) is not str or encoding not in known:
        raise Damaged(f"its pickle encodes bytes with {brief(encoding)}")
    current().objects(33 + len(text))
    return text.encode("latin1")


def _bytearray(m: Any, data: Any = b"", encoding: Any = "latin1") -> bytearray:
    if isinstance(data, str):
        return bytearray(_bytes(m, data, encoding))
    if not isinstance(data, bytes | bytearray | list | tuple):
        raise Damaged(f"its pickle makes a bytearray of {brief(data)}")
    current().objects(56 + len(data))
    return bytearray(data)


def _complex(m: Any, real: Any = 0.0, imag: Any = 0.0) -> complex:
    if not all(type(part) in (int, float) for part in (real, imag)):
        raise Damaged(f"its pickle makes a complex number of {brief((real, imag))}")
    return complex(float(real), float(imag))


def _size(m: Any, lengths: Any = ()) -> Size:
    return Size(_counted(checked_lengths(lengths), tuple))


def checked_lengths(lengths: Any) -> tuple[int, ...]:
    """Lengths or strides of a tensor as a file gives them."""
    right = isinstance(lengths, list | tuple) and len(lengths) <= 64
    if not right or not all(type(n) is int and 0 <= n < 1 << 63 for n in lengths):
        raise Damaged(f"its pickle gives a tensor the lengths or strides {brief(lengths)}")
    return tuple(lengths)


def _device(m: Any, name: Any = "cpu", index: Any = None) -> device:
    if type(name) is not str or len(name) > 40 or type(index) not in (int, type(None)):
        raise Damaged(f"its pickle names the device {brief(name)}")
    return device(name, index)


def _parameter(m: Any, data: Any, requires_grad: Any = True) -> Parameter:
    if not isinstance(data, TensorBase):
        raise Damaged(f"its pickle makes a parameter of {brief(data)}")
    return Parameter(data, bool(requires_grad))


class Builder:
    """A function of this file under the name that pickles use for it."""

    def __init__(self, name: str, build: Any) -> None:
        self.__name__ = name
        self.build = build


ENCODED = Builder("encode", _bytes)
BYTEARRAY = Builder("bytearray", _bytearray)
SET = Builder("set", _set)

_FOR_CLASSES: dict[type, Any] = {
    OrderedDict: _ordered_dict, Counter: _counter, complex: _complex, Size: _size,
    device: _device, Parameter: _parameter,
}  # fmt: skip


def builder_of(function: Any) -> Any:
    """What makes the thing that a file calls this for; None when it is called itself."""
    if isinstance(function, Builder):
        return function.build
    return _FOR_CLASSES.get(function) if isinstance(function, type) else None
