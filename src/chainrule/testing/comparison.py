"""`assert_close`: are two tensors, numbers or nests of them equal up to rounding?"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd.accidents import explain_module

# Relative and absolute tolerance by the number of bits that a type keeps.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}
Message = str | Callable[[str], str] | None


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raise an AssertionError that says how much and where `actual` differs from `expected`.

    Close is |actual - expected| <= atol + rtol * |expected|, with tolerances by type unless given.

    >>> assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0000001]))
    """
    if (rtol is None) != (atol is None):
        got = "no atol" if atol is None else "no rtol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got {got}."
        )
    check = _Check(
        allow_subclasses, rtol, atol, equal_nan, check_device, check_dtype, check_layout,
        check_stride,
    )  # fmt: skip
    for path, one, other in _pairs(actual, expected, (), allow_subclasses):
        problem = check.problem(one, other)
        if problem is not None:
            raise AssertionError(_message(problem, path, msg))


class _Different(Exception):
    """Two nests whose forms differ."""


def _message(problem: str, path: tuple[Any, ...], msg: Message) -> str:
    if path:
        problem += f"\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in path)}"
    if callable(msg):
        return msg(problem)
    return problem if msg is None else msg


def _pairs(
    actual: Any, expected: Any, path: tuple[Any, ...], subclasses: bool
) -> Iterator[tuple[tuple[Any, ...], Any, Any]]:
    """The leaves of two nests, side by side."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            yield (
                path,
                _Different(
                    f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
                ),
                None,
            )
            return
        for k, (one, other) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(one, other, (*path, k), subclasses)
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        missing = sorted(expected.keys() - actual.keys(), key=str)
        extra = sorted(actual.keys() - expected.keys(), key=str)
        if missing or extra:
            yield (
                path,
                _Different(
                    "The keys of the mappings do not match:\n"
                    f"Missing keys in the actual mapping: {missing}\n"
                    f"Additional keys in the actual mapping: {extra}"
                ),
                None,
            )
            return
        for key in sorted(actual, key=str):
            yield from _pairs(actual[key], expected[key], (*path, key), subclasses)
    else:
        yield path, actual, expected


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


class _Check:
    """What to compare, and how closely."""

    def __init__(self, *settings: Any) -> None:
        self.subclasses, self.rtol, self.atol, self.equal_nan = settings[:4]
        self.device, self.dtype, self.layout, self.stride = settings[4:]

    def problem(self, actual: Any, expected: Any) -> str | None:
        """What is wrong with a pair of leaves; None if nothing."""
        if isinstance(actual, _Different):
            return str(actual)
        if actual is None and expected is None:
            return None
        if _is_bool(actual) and _is_bool(expected):
            same = bool(actual) is bool(expected)
            return None if same else f"Booleans mismatch: {actual} is not {expected}"
        if _is_number(actual) and _is_number(expected):
            return self._numbers(actual, expected)
        one, other = _as_tensor(actual), _as_tensor(expected)
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        same_class = related if self.subclasses else type(actual) is type(expected)
        if one is None or other is None or not same_class:
            raise TypeError(
                "No comparison pair was able to handle inputs of type "
                f"{type(actual)} and {type(expected)}."
            )
        return self._attributes(one, other) or self._tensors(one, other)

    def _numbers(self, actual: Any, expected: Any) -> str | None:
        if self.dtype and type(actual) is not type(expected):
            return f"The (d)types do not match: {type(actual)} != {type(expected)}."
        whole = isinstance(actual, int) and isinstance(expected, int)
        rtol, atol = (0, 0) if whole else TOLERANCES["float64"]
        rtol, atol = self._given(rtol, atol)
        if self._close(np.asarray(actual), np.asarray(expected), rtol, atol).all():
            return None
        return _scalar_report(actual, expected, rtol, atol)

    def _given(self, rtol: float, atol: float) -> tuple[float, float]:
        return (rtol, atol) if self.rtol is None else (self.rtol, self.atol)

    def _close(self, actual: Any, expected: Any, rtol: float, atol: float) -> Any:
        if rtol == atol == 0 and not self.equal_nan:
            return actual == expected
        return np.isclose(actual, expected, rtol, atol, equal_nan=self.equal_nan)

    def _attributes(self, one: Any, other: Any) -> str | None:
        wanted = [
            ("shape", True, lambda t: t.shape),
            ("layout", self.layout, lambda t: t.layout),
            ("device", self.device, lambda t: t.device),
            ("dtype", self.dtype, lambda t: t.dtype),
            ("stride()", self.stride and one.layout is torch.strided, lambda t: t.stride()),
        ]
        for name, asked, read in wanted:
            if asked and read(one) != read(other):
                return (
                    f"The values for attribute {name!r} do not match: {read(one)} != {read(other)}."
                )
        return None

    def _tensors(self, one: Any, other: Any) -> str | None:
        both = [TOLERANCES.get(t.dtype.name, (0.0, 0.0)) for t in (one, other)]
        rtol, atol = self._given(max(t[0] for t in both), max(t[1] for t in both))
        actual, expected = _array(one), _array(other)
        close = self._close(actual, expected, rtol, atol)
        if close.all():
            return None
        if actual.ndim == 0:
            return _scalar_report(actual.item(), expected.item(), rtol, atol)
        return _tensor_report(actual, expected, close, rtol, atol, one.dtype)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Number) and not _is_bool(value)


def _as_tensor(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value
    return torch.as_tensor(value) if isinstance(value, np.ndarray) else None


def _array(t: Any) -> Any:
    dense = t.detach()
    if dense.layout is not torch.strided:
        dense = dense.to_dense()
    if dense.dtype is torch.bfloat16 or dense.dtype is torch.float16:
        dense = dense.float()
    return dense.numpy()


def _allowed(tolerance: float, exact: bool) -> str:
    return "" if exact else f" (up to {tolerance} allowed)"


def _scalar_report(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    difference = abs(actual - expected)
    relative = float("inf") if expected == 0 else difference / abs(expected)
    exact = rtol == atol == 0
    return (
        f"Scalars are not {'equal' if exact else 'close'}!\n\n"
        f"Expected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{_allowed(atol, exact)}\n"
        f"Relative difference: {relative}{_allowed(rtol, exact)}"
    )


def _tensor_report(
    actual: Any, expected: Any, close: Any, rtol: float, atol: float, dtype: Any
) -> str:
    if actual.dtype.kind in "biu":
        actual, expected = actual.astype(np.int64), expected.astype(np.int64)
    wrong = int((~close).sum())
    difference = _rounded(np.where(close, 0, np.abs(actual - expected)), dtype)
    scale = np.abs(expected)
    if difference.dtype.kind == "i":
        relative = difference.astype(np.float32) / scale.astype(np.float32)
    else:
        relative = _rounded(difference / scale, dtype)
    relative = np.where(close, np.zeros((), relative.dtype), relative)
    exact = rtol == atol == 0
    share = wrong / close.size
    return (
        f"Tensor-likes are not {'equal' if exact else 'close'}!\n\n"
        f"Mismatched elements: {wrong} / {close.size} ({share:.1%})\n"
        f"Greatest absolute difference: {_greatest(difference)}{_allowed(atol, exact)}\n"
        f"Greatest relative difference: {_greatest(relative)}{_allowed(rtol, exact)}"
    )


def _rounded(values: Any, dtype: Any) -> Any:
    """Differences of half-precision values have half precision too."""
    if dtype is not torch.float16 and dtype is not torch.bfloat16:
        return values
    return torch.from_numpy(np.asarray(values)).to(dtype).float().numpy()


def _greatest(values: Any) -> str:
    index = np.unravel_index(int(np.argmax(values)), values.shape)
    return f"{values[index].item()} at index {tuple(int(k) for k in index)}"


explain_module(globals())
