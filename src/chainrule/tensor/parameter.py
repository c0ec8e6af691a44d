"""Parameter: a tensor that a Module registers and an optimizer updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd import source
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.value import PLAIN, make
from ..ops.dtypes import FLOAT
from .leaf import want_grad
from .tensor import Tensor


class Parameter(Tensor):
    """A tensor that requires grad by default and is found by `Module.parameters()`."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        try:
            t = make(np.zeros(0, np.float32) if data is None else data._a)
            t.__class__ = cls
            if data is not None:
                t._v = data._v if data._v is not None else [0]
                if data._level is not None:
                    _take_level(t, data)
            if requires_grad:
                if t.dtype.category < FLOAT:
                    raise RuntimeError(
                        "Only Tensors of floating point and complex dtype can require gradients. "
                        f"This one is {t.dtype!r}\n  at {source.here(2)}\n  Fix: "
                        "Parameter(x, requires_grad=False), or convert it with x.float()."
                    )
                want_grad(t, True)
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
        t.__dict__.update({k: v for k, v in bare.__dict__.items() if k in ("_level", "_bdim")})


def _level_class(of_level: type, cls: type) -> type:
    """The class of parameters that are tensors of a transform."""
    found = _LEVEL_CLASSES.get((of_level, cls))
    if found is None:
        made = type(cls.__name__, (of_level, cls), {"__slots__": ()})
        found = _LEVEL_CLASSES[of_level, cls] = made
    return found


_LEVEL_CLASSES: dict[tuple[type, type], type] = {}


PLAIN.add(Parameter)
