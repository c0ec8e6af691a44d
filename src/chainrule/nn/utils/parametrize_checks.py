"""What a parametrization may not do, with the words that say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...tensor import Tensor


def check_first(made: Any, shape: Any, dtype: Any) -> None:
    """The first parametrization keeps the tensor's type and shape."""
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what, old, new in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
        if old != new:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless "
                f"`unsafe` flag is enabled.\nunparametrized {what}: {old}\n"
                f"parametrized {what}: {new}"
            )


def check_next(module: Any, name: str, parametrization: Any) -> None:
    """A further parametrization keeps type and shape too, and so does its inverse."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless "
                f"the `unsafe` flag is enabled.\nmodule.{name}.{what}: {getattr(before, what)}\n"
                f"parametrization(module.{name}).{what}: {getattr(after, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}"
        )
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(before, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} "
                f"as module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(before, what)}\n"
                f"returned {what}: {getattr(back, what)}"
            )


def check_inverse_of_one(original: Tensor, new: Tensor) -> None:
    """A right inverse that gives one tensor keeps its type."""
    if original.dtype != new.dtype:
        raise ValueError(
            "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
            f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
        )
    if original.device != new.device:
        raise ValueError(
            "When `right_inverse` outputs one tensor, it may not change the device.\n"
            f"original.device: {original.device}\nright_inverse(original).device: {new.device}"
        )


def check_inverse_of_sequence(
    kept: Tensor, value: Any, name: str, *, of_sequence: bool = False
) -> None:
    """What is assigned to an original is a tensor of its type."""
    if not isinstance(value, Tensor):
        what = "a sequence of tensors" if of_sequence else "a tensor"
        raise ValueError(f"`right_inverse` should return {what}. Got {type(value).__name__}")
    if kept.dtype != value.dtype:
        raise ValueError(
            f"The tensor returned by `right_inverse` has dtype {value.dtype} while {name} has "
            f"dtype {kept.dtype}"
        )


def check_inverse_count(value: Any, count: int) -> None:
    """A right inverse of several tensors gives as many as before."""
    if not isinstance(value, Sequence):
        raise ValueError(
            f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}."
        )
    if len(value) != count:
        raise ValueError(
            f"'right_inverse' must return a sequence of tensors of length {count}. Got a sequence "
            f"of length {len(value)}."
        )
