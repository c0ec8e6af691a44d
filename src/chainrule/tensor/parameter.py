"""Parameter: a tensor that a Module registers and an optimizer updates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.value import PLAIN, make
from .tensor import Tensor


class Parameter(Tensor):
    """A tensor that requires grad by default and is found by `Module.parameters()`."""

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        array = np.zeros(0, np.float32) if data is None else data._a
        t = make(array)
        t.__class__ = cls
        if data is not None:
            t._v = data._v if data._v is not None else [0]
        t._rg = bool(requires_grad)
        return t

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            copied = type(self)(make(self._a.copy(order="K")), self._rg)
            if self._grad is not None:
                copied._grad = self._grad.detach().clone()
            memo[id(self)] = copied
        return memo[id(self)]


PLAIN.add(Parameter)
