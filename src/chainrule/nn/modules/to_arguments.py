"""The many ways to call `to`, of modules and of tensors that wait for their shape."""

from __future__ import annotations

from typing import Any

from ...ops import dtypes
from ...tensor import Tensor
from ...tensor.device import require


def to_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """(device, dtype, non_blocking, memory_format) of the many ways to call `to`."""
    given = dict(kwargs)
    names = ["device", "dtype", "non_blocking", "copy"]
    rest = list(args)
    if rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
        given["device"], given["dtype"] = other.device, other.dtype
        names = ["non_blocking", "copy"]
    elif "tensor" in given:
        other = given.pop("tensor")
        given["device"], given["dtype"] = other.device, other.dtype
    elif rest and isinstance(rest[0], dtypes.dtype):
        names = ["dtype", "non_blocking", "copy"]
    if len(rest) > len(names):
        raise TypeError(f"to() received an invalid combination of arguments - got {args}")
    for name, value in zip(names, rest, strict=False):
        given[name] = value
    known = ("device", "dtype", "non_blocking", "copy", "memory_format")
    if unknown := [k for k in given if k not in known]:
        raise TypeError(f"to() got an unexpected keyword argument '{unknown[0]}'")
    where = given.get("device")
    if where is not None:
        where = require(where)
    return where, given.get("dtype"), given.get("non_blocking", False), given.get("memory_format")
