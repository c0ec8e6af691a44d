"""Fake tensors: they say which device and type they have, and hold a meta tensor.

>>> import chainrule as torch
>>> from chainrule._subclasses.fake_tensor import FakeTensorMode
>>> with FakeTensorMode():
...     y = torch.nn.Linear(1000, 10)(torch.empty(64, 1000))
>>> y.shape, y.device
(torch.Size([64, 10]), device(type='cpu'))
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..autograd.state import STATE
from ..dispatcher.asking import disabled
from ..ops.overloads import namespace
from ..standins.finder import rest_of as _rest_of
from ..tensor.device import CPU
from ..tensor.device import device as Device
from ..tensor.tensor import Tensor
from ..utils._python_dispatch import TorchDispatchMode
from ..utils._pytree import tree_map


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor of which no fake one can be made."""


class DynamicOutputShapeException(RuntimeError):
    """A result whose shape depends on values."""

    def __init__(self, func: Any) -> None:
        super().__init__(
            f"{func}: the shape of its result depends on values, which a fake tensor has not"
        )
        self.func = func


class DataDependentOutputException(RuntimeError):
    """A number that depends on values."""

    def __init__(self, func: Any) -> None:
        super().__init__(f"{func}: a fake tensor has no values")
        self.func = func


class MetadataMismatchError(RuntimeError):
    """Results of one operator with different metadata."""


_BY_VALUES = ("aten.nonzero.default", "aten.masked_select.default", "aten._unique2.default")


class FakeTensor(Tensor):
    """A tensor with a device and a type, and no values."""

    fake_mode: Any
    fake_device: Any
    elem: Any
    constant: Any

    @staticmethod
    def __new__(
        cls, fake_mode: Any, elem: Any, device: Any, constant: Any = None, **ignored: Any
    ) -> Any:
        t = Tensor._make_wrapper_subclass(
            cls, elem.shape, strides=elem.stride(), dtype=elem.dtype, device=device,
            requires_grad=False,
        )  # fmt: skip
        t.fake_mode, t.fake_device, t.elem, t.constant = fake_mode, Device(device), elem, constant
        return t

    @property
    def is_meta(self) -> bool:
        return False

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        parts = [f"size={tuple(self.shape)}"]
        if str(self.dtype) != "torch.float32":
            parts.insert(0, f"dtype={self.dtype!r}")
            parts.reverse()
        if str(self.device) != "cpu":
            parts.insert(0, f"device={str(self.device)!r}")
        if self.grad_fn is not None:
            parts.append(f"grad_fn=<{self.grad_fn.name()}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
        return f"FakeTensor(..., {', '.join(parts)})"

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        mode = next(t.fake_mode for t in _fakes((args, kwargs or {})))
        return mode.dispatch(func, args, kwargs or {})

    @staticmethod
    def from_tensor(t: Any, fake_mode: Any) -> Any:
        """A fake tensor like a tensor."""
        return fake_mode.from_tensor(t)


def _fakes(tree: Any) -> list[Any]:
    found: list[Any] = []

    def note(t: Any) -> Any:
        if isinstance(t, FakeTensor):
            found.append(t)
        return t

    tree_map(note, tree)
    return found


class FakeTensorMode(TorchDispatchMode):
    """A block in which new tensors are fake: shapes and types are worked out, nothing else."""

    def __init__(
        self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False,
        shape_env: Any = None, static_shapes: bool | None = None, export: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.allow_non_fake_inputs = allow_non_fake_inputs
        self.shape_env = shape_env
        self.static_shapes = static_shapes

    def from_tensor(self, tensor: Any, *, static_shapes: Any = None, **ignored: Any) -> Any:
        """A fake tensor of a tensor's shape, type and place; a parameter stays one."""
        if isinstance(tensor, FakeTensor):
            if tensor.fake_mode is not self:
                raise AssertionError("Mixing fake modes NYI")
            return tensor
        with disabled():
            meta = _meta_like(tensor)
        made = FakeTensor(self, meta, tensor.device)
        if tensor.requires_grad:
            made.requires_grad_(True)
        if "_is_param" in tensor.__dict__ or _is_parameter(tensor):
            made._is_param = True
        return made

    fake_tensor_converter: Any = None

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.dispatch(func, args, kwargs or {})

    def dispatch(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """An operator on shapes and types."""
        if str(func) == "aten._local_scalar_dense.default":
            raise DataDependentOutputException(func)
        if str(func) in _BY_VALUES or _has_mask(func, args):
            raise DynamicOutputShapeException(func)
        if str(func) == "aten.lift_fresh.default":
            return self.from_tensor(args[0])
        place = self._place(args, kwargs)
        held = tree_map(lambda t: self._held(t, func), (args, kwargs))
        metas, named = held
        if _is_written(func) and args and isinstance(args[0], FakeTensor):
            return args[0]  # there is nothing to write into
        if "device" in named:
            named = {**named, "device": Device("meta")}
        elif not _fakes(args) and _takes_device(func):
            named = {**named, "device": Device("meta")}
        with disabled():
            made = func(*metas, **named)
        return tree_map(lambda t: FakeTensor(self, t, place) if isinstance(t, Tensor) else t, made)

    def _place(self, args: Any, kwargs: dict[str, Any]) -> Any:
        if kwargs.get("device") is not None:
            return Device(kwargs["device"])
        places = [t.fake_device for t in _fakes((args, kwargs))]
        return places[0] if places else CPU

    def _held(self, t: Any, func: Any) -> Any:
        if isinstance(t, FakeTensor):
            return t.elem
        if not isinstance(t, Tensor):
            return t
        if not self.allow_non_fake_inputs and t.ndim:
            raise AssertionError(
                "Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode "
                f"with 'allow_non_fake_inputs'. Found in {func}: a tensor of shape "
                f"{list(t.shape)}\n  Fix: mode.from_tensor(t)."
            )
        return _meta_like(t)


def _meta_like(t: Any) -> Any:
    from ..tensor.meta import meta_tensor

    return meta_tensor(tuple(t.shape), t.dtype.np)


def _is_parameter(t: Any) -> bool:
    from ..tensor.parameter import Parameter

    return isinstance(t, Parameter)


def _is_written(func: Any) -> bool:
    name = func.overloadpacket.__name__
    return name.endswith("_") and not name.endswith("__")


def _takes_device(func: Any) -> bool:
    return func.namespace == "aten" and any(a.name == "device" for a in func._schema.arguments)


def _has_mask(func: Any, args: Any) -> bool:
    """Whether an index has a mask: how many elements it chooses is not known."""
    if func is not namespace("aten").index.Tensor:
        return False
    return any(isinstance(i, Tensor) and str(i.dtype) == "torch.bool" for i in args[1])


def is_fake(x: Any) -> bool:
    """Whether a tensor has no values.

    >>> import chainrule as torch
    >>> is_fake(torch.ones(2))
    False
    """
    return isinstance(x, FakeTensor)


def maybe_get_fake_mode(t: Any) -> Any:
    """The mode of a fake tensor; None of another one."""
    return t.fake_mode if isinstance(t, FakeTensor) else None


@contextlib.contextmanager
def unset_fake_temporarily() -> Iterator[Any]:
    """A block in which tensors are real again."""
    held = [m for m in STATE.dispatch_modes if isinstance(m, FakeTensorMode)]
    before = STATE.dispatch_modes
    with disabled():
        STATE.dispatching = True
        STATE.dispatch_modes = [m for m in before if m not in held]
        yield held[-1] if held else None


__all__ = [
    "DataDependentOutputException", "DynamicOutputShapeException", "FakeTensor", "FakeTensorMode",
    "MetadataMismatchError", "UnsupportedFakeTensorException", "is_fake", "maybe_get_fake_mode",
    "unset_fake_temporarily",
]  # fmt: skip

__getattr__ = _rest_of(__name__)
