"""Copies of tensors: copy, deepcopy and pickle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal
from ..autograd.lazy import memory
from ..autograd.state import STATE, TRACE
from ..autograd.value import make
from ..ops import dtypes
from ..ops.layout import address, flat_owner, owner
from .overriding import notice

if TYPE_CHECKING:
    from .annotations import Tensor


def rebuild(
    cls: type,
    array: np.ndarray,
    dtype_name: str,
    requires_grad: bool,
    attributes: dict[str, Any],
    flags: int = 0,
) -> Any:
    """A tensor from what `reduce_tensor` stored."""
    is_bfloat16 = dtype_name == "bfloat16"
    made = make(array.view(dtypes.bfloat16.np) if is_bfloat16 else dtypes.canonical(array))
    if cls is not type(made):
        made.__class__ = cls
        notice(cls)
    made._rg = requires_grad
    if attributes:
        made.__dict__.update(attributes)
    if flags:
        from .lazy_views import flagged

        flagged(made, flags)
    return made


def rebuild_meta(cls: type, shape: Any, dtype: Any, requires_grad: bool) -> Any:
    """A meta tensor from its shape and type."""
    from .meta import meta_tensor

    made = meta_tensor(tuple(shape), dtype.np, cls)
    made._rg = requires_grad
    return made


def __reduce_ex__(self: Any, protocol: Any) -> Any:
    """What pickle stores: the values in their memory order, requires_grad, own attributes.

    History and hooks are not stored: a loaded tensor is a leaf, as in PyTorch.
    """
    if self._level is not None:
        if self.is_meta:
            return rebuild_meta, (_public(self), tuple(self.shape), self.dtype, self._rg)
        if "_wraps" in self.__dict__:
            from ..dispatcher.wrappers import describe
            from ..dispatcher.wrappers import rebuild as rebuild_wrapper

            return rebuild_wrapper, (type(self), describe(self), dict(self.__dict__))
        raise refusal.runtime("a tensor inside a transform cannot be pickled")
    if STATE.unusual & TRACE:
        STATE.trace.concrete(self, "pickling")
    array = memory(self)
    name = self.dtype.name
    if name == "bfloat16":
        array = array.view(np.uint16)  # readable without ml_dtypes
    flags = (self._lazy,) if self._lazy else ()
    return rebuild, (_public(self), array, name, self._rg, dict(self.__dict__), *flags)


def _public(t: Any) -> type:
    return next(c for c in type(t).__mro__ if c.__dict__.get("_is_meta_class") is None)


def __copy__(self: Tensor) -> Tensor:
    """A new leaf on the same memory."""
    made = make(memory(self))
    made.__class__ = type(self)
    made._rg, made._v = self._rg, self._v
    made.__dict__.update(self.__dict__)
    return made


def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy with its own memory; tensors that shared memory share it in the copy too."""
    from copy import deepcopy

    if id(self) in memo:
        return memo[id(self)]
    if self.is_meta:
        memo[id(self)] = made = rebuild_meta(type(self), self.shape, self.dtype, self._rg)
        return made
    if self._node is not None and self._rg:
        raise refusal.runtime(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.",
            f"this one, of shape {list(self.shape)}, is the result of {self.grad_fn.name()}",  # type: ignore[union-attr]
            fix="copy x.detach() (then there is no history), or x.clone() (then it stays in the "
            "graph).",
        )
    if STATE.unusual & TRACE:
        STATE.trace.concrete(self, "copying")
    if self._level is not None and self._level.kind == "dispatch":
        from ..dispatcher.wrappers import deep_copy

        return deep_copy(self, memo)
    if self._level is not None:
        raise refusal.not_implemented(
            f"Cannot access storage of {type(self).__name__}: a tensor inside a transform cannot "
            "be deep-copied",
            fix="clone() it.",
        )
    made = make(self._a.copy(order="K") if self._lazy else _copied_array(self._a, memo))
    made.__class__ = _public(self)
    made._rg = self._rg
    memo[id(self)] = made
    if self._grad is not None:
        made._grad = deepcopy(self._grad, memo)
    if self.__dict__:
        made.__dict__.update(deepcopy(self.__dict__, memo))
    return made


def _copied_array(array: np.ndarray, memo: dict[int, Any]) -> np.ndarray:
    """The array over a copy of its owner, which other views of it find in the memo."""
    whole = flat_owner(array)
    if whole is None or not array.size or array.dtype.kind == "V":
        return array.copy(order="K")
    key = id(owner(array))
    copied = memo.get(key)
    if copied is None:
        copied = memo[key] = whole.copy()
        memo.setdefault(id(memo), []).append(owner(array))  # its id must stay taken
    start = address(array) - address(whole)
    return np.ndarray(array.shape, array.dtype, copied, start, array.strides)


METHODS = {"__reduce_ex__": __reduce_ex__, "__copy__": __copy__, "__deepcopy__": __deepcopy__}
