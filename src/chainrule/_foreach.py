"""Functions of whole lists of tensors, `torch._foreach_*`, which optimizers call.

One call stands for a loop; each tensor has the result, the gradient and the errors of the function
itself.

>>> import chainrule as torch
>>> xs = [torch.ones(2), torch.zeros(1)]
>>> torch._foreach_add(xs, [1.0, 2.0])
(tensor([2., 2.]), tensor([2.]))
>>> torch._foreach_mul_(xs, 3)
[tensor([3., 3.]), tensor([0.])]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import chainrule as torch

_UNARY = frozenset("""
    abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg
    reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
""".split())  # fmt: skip
_BINARY = frozenset("add sub mul div pow maximum minimum clamp_min clamp_max".split())
_TERNARY = frozenset("addcmul addcdiv lerp".split())


def function_named(name: str) -> Callable[..., Any] | None:
    """`torch._foreach_<name>`, or None where PyTorch has no such function."""
    made = _special(name) or _general(name.removesuffix("_"), in_place=name.endswith("_"))
    if made is not None:
        made.__name__ = made.__qualname__ = f"_foreach_{name}"
        made.__doc__ = f"`{name}` of each tensor of a list."
    return made


def _general(base: str, in_place: bool) -> Callable[..., Any] | None:
    if base not in _UNARY | _BINARY | _TERNARY:
        return None

    def function(self: Any, *rest: Any, **named: Any) -> Any:
        if base == "pow" and not in_place and isinstance(self, int | float):
            return tuple(torch.pow(self, each) for each in _checked(rest[0]))
        tensors = _checked(self)
        others, options = _others(base, rest, named)
        columns = [_column(other, len(tensors)) for other in others]
        step = _in_place if in_place else _new
        found = [step(base, row, options) for row in zip(tensors, *columns, strict=True)]
        return self if in_place else tuple(found)

    return function


def _others(base: str, rest: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[Any], Any]:
    """The lists and numbers after the first argument, however they were named, and options."""
    options = {name: named[name] for name in ("alpha",) if name in named}
    given = [*rest, *(value for name, value in named.items() if name != "alpha")]
    wanted = {1: base in _BINARY, 2: base == "lerp", 3: base in ("addcmul", "addcdiv")}
    count = next((n for n, is_so in wanted.items() if is_so), 0)
    if count == 3 and len(given) == 2:
        given.append(1)
    if len(given) != count:
        raise TypeError(
            f"_foreach_{base}() received an invalid combination of arguments: {len(given) + 1} "
            f"given, {count + 1} expected"
        )
    return given, options


def _checked(tensors: Any) -> Sequence[Any]:
    if not isinstance(tensors, list | tuple):
        raise TypeError(
            "_foreach functions: argument 'self' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return tensors


def _column(other: Any, count: int) -> Sequence[Any]:
    """One entry for each tensor."""
    if isinstance(other, torch.Tensor) and other.ndim == 1 and other.numel() == count > 1:
        return other.tolist()
    if not isinstance(other, list | tuple):
        return [other] * count
    if len(other) != count:
        raise RuntimeError(
            f"Tensor lists must have the same number of tensors, got {count} and {len(other)}"
        )
    return other


def _limit(base: str, row: Any) -> str:
    """Maxima with numbers are limits."""
    if base in ("maximum", "minimum") and not isinstance(row[1], torch.Tensor):
        return "clamp_min" if base == "maximum" else "clamp_max"
    return base


def _new(base: str, row: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if base in ("addcmul", "addcdiv"):
        return getattr(torch, base)(*row[:3], value=row[3])
    return getattr(torch, _limit(base, row))(*row, **options)


def _in_place(base: str, row: tuple[Any, ...], options: dict[str, Any]) -> Any:
    first, *others = row
    if base in ("addcmul", "addcdiv"):
        return getattr(first, f"{base}_")(*others[:2], value=others[2])
    name = _limit(base, row)
    if name in ("maximum", "minimum"):
        return first.copy_(getattr(torch, name)(first, others[0]))
    return getattr(first, f"{name}_")(*others, **options)


def _special(name: str) -> Callable[..., Any] | None:
    """The functions with signatures of their own."""

    def norm(self: Any, ord: Any = 2, dtype: Any = None) -> Any:  # noqa: A002
        return tuple(torch.linalg.vector_norm(t, ord, dtype=dtype) for t in _checked(self))

    def powsum(self: Any, ord: Any = 2, dtype: Any = None) -> Any:  # noqa: A002
        return tuple(t.abs().pow(ord).sum(dtype=dtype) for t in _checked(self))

    def copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
        for t, value in zip(self, _column(src, len(_checked(self))), strict=True):
            t.copy_(value)
        return self

    def zero_(self: Any) -> Any:
        for t in _checked(self):
            t.zero_()
        return self

    def clone(self: Any, *, memory_format: Any = None) -> Any:
        return tuple(t.clone() for t in _checked(self))

    def max_of_each(self: Any) -> Any:
        return tuple(t.max() for t in _checked(self))

    def mm(self: Any, mat2: Any) -> Any:
        return tuple(a.mm(b) for a, b in zip(_checked(self), mat2, strict=True))

    known = {
        "norm": norm, "powsum": powsum, "copy_": copy_, "zero_": zero_, "clone": clone,
        "max": max_of_each, "mm": mm,
    }  # fmt: skip
    return known.get(name)
