"""Meta tensors: a shape and a type without data.

A meta tensor is a tensor of a level of its own, below all transforms: every op on it is handled
here, where only the shape and type of the result are worked out. Its payload is an array of that
shape that repeats one zero, so nothing large is ever stored.
"""

from __future__ import annotations

from typing import Any

from ..autograd import refusal
from ..autograd.dispatch import explain_failure, prepare
from ..autograd.levels import Level, track_view
from ..autograd.node import OutSlot
from ..autograd.record import record
from ..autograd.state import STATE
from ..autograd.value import TensorBase, make
from ..ops.layout import contiguous_strides
from ..ops.result_types import result_types
from ..ops.schema import Op
from .creation import blank_array
from .device import META
from .parameter import Parameter
from .tensor import Tensor


class MetaTensor(Tensor):
    """A tensor without data."""

    __slots__ = ()
    _is_meta_class = True

    def stride(self, dim: int | None = None) -> Any:
        steps = contiguous_strides(self._a.shape)
        return steps if dim is None else steps[dim]

    def storage_offset(self) -> int:
        return 0

    def is_contiguous(self, memory_format: Any = None) -> bool:
        return True

    def data_ptr(self) -> int:
        return 0


class MetaParameter(MetaTensor, Parameter):
    """A parameter without data."""

    __slots__ = ()
    _is_meta_class = True


for _cls, _name in ((MetaTensor, "Tensor"), (MetaParameter, "Parameter")):
    _cls.__name__ = _cls.__qualname__ = _name


def meta_class(cls: type) -> type:
    """The class of meta tensors that stand for tensors of a class."""
    return MetaParameter if issubclass(cls, Parameter) else MetaTensor


def meta_tensor(shape: tuple[int, ...], dtype: Any, cls: type = Tensor) -> Any:
    """A new meta tensor."""
    t = make(blank_array(shape, dtype))
    t.__class__ = meta_class(cls)
    t.__dict__["_level"] = META_LEVEL
    return t


def meta_like(t: Any) -> Any:
    """The shape and type of a tensor, on meta; gradients flow back to it as nothing."""
    made = meta_tensor(tuple(t.shape), t.dtype.np, type(t))
    made._rg = t._rg and t._node is None
    return made


class MetaLevel(Level):
    """Runs ops on shapes and types."""

    kind = "meta"

    def __init__(self) -> None:
        super().__init__()
        self.index = 0  # below every transform

    def item(self, t: Any) -> Any:
        raise refusal.runtime(
            f"Tensor.item() cannot be called on meta tensors: a tensor of shape {list(t.shape)} "
            "on the meta device has no values",
            fix="create it on the CPU, e.g. with device='cpu'.",
        )

    def array(self, t: Any, what: str) -> Any:
        if what == "numpy()":
            raise refusal.wrong_type(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the "
                "tensor to host memory first. But a meta tensor has no values, this one of shape "
                f"{list(t.shape)} neither"
            )
        raise refusal.not_implemented(
            f"Cannot copy out of meta tensor; no data! {what} of a tensor of shape "
            f"{list(t.shape)} on the meta device",
            fix="create it on the CPU, e.g. with device='cpu'.",
        )

    def text(self, t: Any) -> str:
        from .text import plain_text

        return plain_text(t)

    def wrap(self, value: Any, history: Any) -> Any:
        t = meta_tensor(tuple(value.shape), value._a.dtype)
        if history is not None:
            t._rg, t._node = True, history
        return t

    def lift(self, value: Any) -> Any:
        return meta_like(value)

    def detach(self, t: Any) -> Any:
        made = meta_tensor(tuple(t.shape), t._a.dtype)
        made._v = t._v
        return made

    def ones(self, t: Any) -> Any:
        """The gradient that backward() starts from."""
        return meta_tensor(tuple(t.shape), t._a.dtype)

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a = value._a
        if value._rg:  # a write that is not recorded leaves a parameter a parameter
            into._rg, into._node = True, value._node

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        tensors = prepare(op, args)
        _check_devices(op, tensors)
        try:
            types = result_types(op, tuple(map(_array, tensors)), params)
        except (ValueError, IndexError, TypeError) as problem:
            raise explain_failure(op, args, params, problem) from None
        outs = tuple(meta_tensor(shape, dtype) for shape, dtype in types)
        track_view(op, args, params, outs)
        wanted = any(isinstance(t, TensorBase) and t._rg for t in tensors)
        if wanted and STATE.grad_enabled and op.differentiable:
            inner = tuple(t.detach() if isinstance(t, TensorBase) else t for t in tensors)
            node = record(op, tensors, inner, outs, params, level=self)
            for k, out in enumerate(outs):
                if k not in op.nondiff_out and out.dtype.category >= 2:
                    out._rg = True
                    out._node = node if op.n_out == 1 else OutSlot(node, k)
        return outs[0] if op.n_out == 1 else outs


META_LEVEL = MetaLevel()


def _array(t: Any) -> Any:
    return t._a if isinstance(t, TensorBase) else t


def _check_devices(op: Op, tensors: tuple[Any, ...]) -> None:
    for t in tensors:
        if isinstance(t, TensorBase) and t._level is None and any(t._a.strides):
            raise refusal.runtime(
                "Tensor on device cpu is not on the expected device meta! Expected all tensors to "
                f"be on the same device ({op.name})",
                fix="move one of them with .to('meta'), or give both data.",
            )


__all__ = ["META", "META_LEVEL", "MetaParameter", "MetaTensor", "meta_like", "meta_tensor"]
