"""What the doctor hears of tensors: where values leave the graph, where parameters are made and
frozen.

Only calls of the user's own lines count, and cuts only while passes are looked at one by one.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from .positions import Position, here, is_users, stack
from .run import Run
from .taps import Taps

CUTS = ("detach", "numpy", "tolist", "item", "argmax", "argmin", "long", "int")


class TensorEars:
    """Listens to `Tensor` and `Parameter`."""

    def __init__(self, run: Run, taps: Taps) -> None:
        self.run = run
        self._taps = taps

    def put_on(self) -> None:
        """Listen from now on."""
        from ..tensor import Parameter, Tensor

        taps = self._taps
        for name in CUTS:
            taps.after(Tensor, name, partial(self._cut, name))
        taps.getter(Tensor, "data", partial(self._cut, "data"))
        taps.setter(Tensor, "requires_grad", self._wanted)
        taps.before(Tensor, "requires_grad_", self._wanted)
        taps.after(Parameter, "__new__", self._made)
        taps.after(Parameter, "__deepcopy__", self._made)

    def _cut(self, kind: str, result: Any, tensor: Any, *_args: Any, **_options: Any) -> None:
        if not self.run.looking:
            return
        frame = sys._getframe(2)
        if is_users(frame.f_code.co_filename):
            self.run.tell("cut", kind, tensor, result, Position(frame.f_code, frame.f_lasti))

    def _wanted(self, tensor: Any, wanted: bool = True, requires_grad: bool | None = None) -> None:
        if wanted if requires_grad is None else requires_grad:
            if not tensor._rg and tensor not in self.run.made:  # a leaf becomes a parameter
                self.run.made[tensor] = stack(3)
        elif tensor._rg:
            self.run.frozen_at[tensor] = here(2)

    def _made(self, result: Any, *_args: Any, **_kwargs: Any) -> None:
        self.run.look_again()
        self.run.made[result] = stack(3)


__all__ = ["TensorEars"]
