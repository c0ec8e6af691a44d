"""Parameter: a tensor that a Module registers and an optimizer updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.value import PLAIN, make
from ..ops.dtypes import FLOAT
from .leaf import want_grad
from .overriding import disabled, is_dispatched, is_users_tensor, notice
from .tensor import Tensor


class _ParameterKind(type):
    """Also a user's tensor is a Parameter when it was made one: `Parameter(MyTensor(...))`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and _is_marked(instance)


def _is_marked(t: Any) -> bool:
    return "_is_param" in t.__dict__ and bool(t.__dict__["_is_param"])


class Parameter(Tensor, metaclass=_ParameterKind):
    """A tensor that requires grad by default and is found by `Module.parameters()`."""

    __slots__ = ()
    __torch_function__ = disabled

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is not None and (is_users_tensor(kind := data.__class__) or is_dispatched(kind)):
            return _of_users_tensor(data, requires_grad)
        try:
            if data is not None and data._lazy:
                data = data.detach().clone()  # what is trained is written by whoever trains it
            t = make(np.zeros(0, np.float32) if data is None else data._a)
            t.__class__ = cls
            if cls is not Parameter:
                notice(cls)
            if data is not None:
                t._v = data._v if data._v is not None else [0]
                if data._level is not None:
                    _take_level(t, data)
            if requires_grad:
                if t.dtype.category < FLOAT:
                    raise refusal.runtime(
                        "Only Tensors of floating point and complex dtype can require gradients. "
                        f"This one is {t.dtype!r}",
                        fix="Parameter(x, requires_grad=False), or convert it with x.float().",
                    )
                if _OF_SPARSE.isdisjoint(t.__dict__):
                    want_grad(t, True)
                else:
                    t.requires_grad_()
            return t
        except PROBLEMS as problem:
            explain_here(problem)
            raise

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy without the gradient: a copied model starts to learn anew, as PyTorch's."""
        grad, self._grad = self._grad, None
        try:
            return super().__deepcopy__(memo)
        finally:
            self._grad = grad


def _of_users_tensor(data: Any, requires_grad: bool) -> Any:
    """A tensor of a user's class as a parameter: it stays of its class, and is marked."""
    t = data.detach().requires_grad_(requires_grad)
    if type(t) is not type(data):
        raise refusal.runtime(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that "
            f"detach() returns an instance of the same type, but this one gave {type(t).__name__}",
            fix="let its __torch_function__ keep the class of what Tensor.detach returns.",
        )
    t._is_param = True
    return t


def _take_level(t: Any, data: Any) -> None:
    """A parameter around a meta tensor, or around a tensor of a transform."""
    if data.is_meta:
        from .meta import meta_class

        t.__class__ = meta_class(type(t))
        t.__dict__["_level"] = data._level
        return
    bare = data.detach()
    t._a = bare._a
    if bare._level is not None:
        t.__class__ = _level_class(type(bare), type(t))
        t.__dict__.update({k: v for k, v in bare.__dict__.items() if k in _OF_LEVEL})


# Where a sparse tensor keeps its parts, and one of a transform its dimension.
_OF_SPARSE = frozenset(("_coo", "_compressed"))
_OF_LEVEL = _OF_SPARSE | {"_level", "_bdim"}


def _level_class(of_level: type, cls: type) -> type:
    """The class of parameters that are tensors of a transform."""
    found = _LEVEL_CLASSES.get((of_level, cls))
    if found is None:
        made = type(cls.__name__, (of_level, cls), {"__slots__": ()})
        found = _LEVEL_CLASSES[of_level, cls] = made
    return found


_LEVEL_CLASSES: dict[tuple[type, type], type] = {}


PLAIN.add(Parameter)
