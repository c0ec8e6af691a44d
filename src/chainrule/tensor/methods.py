"""Methods of Tensor that do not come from the public table, gathered from their modules."""

from __future__ import annotations

from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import FunctionType
from typing import Any

from ..autograd.accidents import explained
from . import attributes, creation_like, interop, pickling, resizing, storage, strides
from .functions import casts, inplace_views, random_functions


def install_tensor_methods(cls: type) -> None:
    """Give the Tensor class its methods about memory, types, copies and random values."""
    for module in (
        attributes, creation_like, interop, pickling, resizing, storage, strides, casts,
        inplace_views, random_functions,
    ):  # fmt: skip
        for name, method in module.METHODS.items():
            setattr(cls, name, explained(method) if _can_be_misused(method) else method)


def _can_be_misused(method: Any) -> bool:
    """Whether a method takes arguments and does not explain itself what is wrong with them."""
    if not isinstance(method, FunctionType):
        return False
    code = method.__code__
    takes_nothing = code.co_argcount == 1 and not code.co_flags & (CO_VARARGS | CO_VARKEYWORDS)
    return not takes_nothing and "explain_here" not in code.co_names
