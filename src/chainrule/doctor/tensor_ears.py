"""What the doctor hears of tensors: where values leave the graph, where parameters are made and
frozen.

Only calls of the user's own lines count, and cuts only while passes are looked at one by one.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from .positions import Position, assigned, here, is_users, stack
from .run import Run
from .taps import Taps

CUTS = ("detach", "numpy", "tolist", "item", "argmax", "argmin", "long", "int")

COMPARISONS = ("__gt__", "__ge__", "__lt__", "__le__", "__eq__", "__ne__", "gt", "ge", "lt", "le",
               "eq", "ne")  # fmt: skip
MOST = 8  # tensors of a list that is made into one
FACTORIES = ("tensor", "randn", "rand", "zeros", "ones", "full", "empty")


class TensorEars:
    """Listens to `Tensor` and `Parameter`."""

    def __init__(self, run: Run, taps: Taps) -> None:
        self.run = run
        self._taps = taps

    def put_on(self) -> None:
        """Listen from now on."""
        import chainrule as torch

        from ..tensor import Parameter, Tensor

        taps = self._taps
        for name in CUTS:
            taps.after(Tensor, name, partial(self._cut, name))
        taps.after(Tensor, "__float__", partial(self._cut, "float"))
        for name in COMPARISONS:
            taps.after(Tensor, name, partial(self._cut, "comparison"))
        for name in ("argmax", "argmin"):
            taps.after(torch, name, partial(self._cut, name))
        for name in ("gt", "ge", "lt", "le", "eq", "ne"):
            taps.after(torch, name, partial(self._cut, "comparison"))
        taps.getter(Tensor, "data", partial(self._cut, "data"))
        taps.setter(Tensor, "data", self._data_set)
        taps.setter(Tensor, "requires_grad", self._wanted)
        taps.before(Tensor, "requires_grad_", self._wanted)
        for name in FACTORIES:
            taps.after(torch, name, self._made_by_factory)
        taps.after(Parameter, "__new__", self._made)
        taps.after(Parameter, "__deepcopy__", self._made)

    def _cut(self, kind: str, result: Any, tensor: Any, *_args: Any, **_options: Any) -> None:
        if not self.run.looking:
            return
        if kind not in ("data", "numpy") and not getattr(tensor, "_rg", False):
            return  # those two hand memory out, whatever it belongs to
        frame = sys._getframe(2)
        if is_users(frame.f_code.co_filename):
            self.run.tell("cut", kind, tensor, result, Position(frame.f_code, frame.f_lasti))

    def _data_set(self, tensor: Any, _value: Any) -> None:
        frame = sys._getframe(2)
        if tensor._rg and is_users(frame.f_code.co_filename):
            self.run.tell("data_set", tensor, Position(frame.f_code, frame.f_lasti))

    def _wanted(self, tensor: Any, wanted: bool = True, requires_grad: bool | None = None) -> None:
        if wanted if requires_grad is None else requires_grad:
            if not tensor._rg and tensor not in self.run.made:  # a leaf becomes a parameter
                named = None if here(2).target else assigned(tensor, 2)
                lines = stack(3)
                self.run.made[tensor] = lines if named is None else (named, *lines)
        elif tensor._rg:
            self.run.frozen_at[tensor] = here(2)

    def _made_by_factory(self, result: Any, *args: Any, **options: Any) -> None:
        if options.get("requires_grad"):
            self._made(result)
        if self.run.looking and args and not isinstance(args[0], int):
            where = here(2)
            for value in args[0][:MOST] if isinstance(args[0], list | tuple) else args[:1]:
                if getattr(value, "_rg", False) and where.is_users:
                    self.run.tell("cut", "tensor", value, result, where)

    def _made(self, result: Any, *_args: Any, **_kwargs: Any) -> None:
        self.run.look_again()
        self.run.made_when[result] = len(self.run.optimizers)
        self.run.made[result] = stack(3)


__all__ = ["TensorEars"]
