"""Assertions that traced programs may keep: `torch._assert`, `torch._check` and its family."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import refusal, source
from ..autograd.value import TensorBase


def _assert(condition: Any, message: str) -> None:
    """Python's assert as a function, which a graph can record.

    >>> _assert(True, "never seen")
    """
    kind = type(condition)
    if not isinstance(condition, TensorBase) and hasattr(kind, "__torch_function__"):
        kind.__torch_function__(_assert, (kind,), (condition, message))  # a graph records it
        return
    assert condition, message


def _assert_async(input: Any, assert_msg: str | None = None) -> None:
    """Raise unless a tensor of one value is not zero; nothing runs later here.

    >>> _assert_async(1)
    """
    if not bool(input):
        told = assert_msg or "Expected Tensor with single nonzero value, but got zero"
        raise refusal.runtime(f"{told}")


def _check_with(
    error_type: type[Exception], cond: Any, message: Callable[[], str] | None = None
) -> None:
    if not isinstance(cond, bool):
        raise refusal.wrong_type(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    told = "Expected cond to be True, but got False" if message is None else str(message())
    raise error_type(f"{told}\n  checked at {source.here()}")


def _check(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise RuntimeError with `message()` unless the condition, a bool, holds."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise IndexError unless the condition holds."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise ValueError unless the condition holds."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise TypeError unless the condition holds."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise NotImplementedError unless the condition holds."""
    _check_with(NotImplementedError, cond, message)


def _check_is_size(i: Any, message: Callable[[], str] | None = None, *, max: Any = None) -> None:
    """Raise RuntimeError unless `i` can be a size: not negative, at most `max`."""
    _check_with(RuntimeError, bool(i >= 0), message)
    if max is not None:
        _check_with(RuntimeError, bool(i <= max), message)


def _check_tensor_all(cond: Any, message: Callable[[], str] | None = None) -> None:
    """Raise RuntimeError unless all elements of a bool tensor are true."""
    _check_tensor_all_with(RuntimeError, cond, message)


def _check_tensor_all_with(
    error_type: type[Exception], cond: Any, message: Callable[[], str] | None = None
) -> None:
    """Raise an error unless all elements of a bool tensor are true."""
    if not hasattr(cond, "dtype") or cond.dtype.name != "bool":
        raise TypeError(f"cond must be a bool tensor, but got {type(cond).__name__}")
    _check_with(error_type, bool(cond.all()), message)
