"""Parameters and buffers that wait for their shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.levels import Level
from ...autograd.value import make
from ...ops import dtypes
from ...tensor import Parameter, Tensor
from ...tensor.creation import empty
from ...tensor.device import CPU
from ...tensor.device import device as _device
from .to_arguments import to_arguments


def _use_error(what: str) -> ValueError:
    return refusal.value(
        f"Attempted to use an uninitialized parameter in {what}. This error happens when you are "
        "using a `LazyModule` or explicitly manipulating "
        "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call "
        "`forward` with a dummy batch to initialize the parameters before calling torch functions",
        fix="call model(batch) once before this line.",
    )


class UninitializedLevel(Level):
    """Receives every op on an uninitialized tensor, and refuses it."""

    kind = "uninitialized"

    def __init__(self) -> None:
        super().__init__()
        self.index = 0  # below every transform, as meta tensors

    def process(self, op: Any, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        raise _use_error(op.name)

    def array(self, t: Any, what: str) -> Any:
        raise _use_error(what)

    def item(self, t: Any) -> Any:
        raise _use_error("item()")

    def text(self, t: Any) -> str:
        return f"<{type(t).__name__}>"


UNINITIALIZED = UninitializedLevel()


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer still waits for its shape."""
    return isinstance(param, UninitializedTensorMixin)


class UninitializedTensorMixin:
    """What uninitialized parameters and buffers share: a type, but no shape and no values."""

    __slots__ = ()
    _level = UNINITIALIZED
    cls_to_become: type = Tensor
    dtype: Any

    @property
    def shape(self) -> Any:
        raise refusal.runtime(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually "
            "happens in `load_state_dict` when trying to load an uninitialized parameter into an "
            "initialized one. Call `forward` to initialize the parameters before accessing their "
            "attributes."
        )

    def is_complex(self) -> bool:
        """Refused, as every question about a tensor that is not there yet."""
        raise _use_error("is_complex()")

    @property
    def device(self) -> Any:
        return self.__dict__.get("_device", CPU)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary parameter or buffer of this shape, its values not yet set."""
        made: Any = empty(
            (shape,) if isinstance(shape, int) else tuple(shape),
            device=self.device if device is None else device,
            dtype=dtype or self.dtype,
        )
        wanted = self._rg
        self.__dict__.pop("_device", None)
        self.__class__ = self.cls_to_become
        self._rg = False  # memory may be exchanged freely as long as nothing is recorded
        self._a, self._v = made._a, [0]
        if made.is_meta:
            from ...tensor.meta import meta_class

            self.__class__ = meta_class(self.cls_to_become)
            self.__dict__["_level"] = made._level
        self._rg = wanted

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Another uninitialized tensor of the type and on the device asked for."""
        device, dtype, _, _ = to_arguments(args, kwargs)
        if device in (None, self.device) and dtype in (None, self.dtype):
            return self
        return uninitialized(type(self), self._rg, device or self.device, dtype or self.dtype)

    def float(self) -> Any:
        """The same, to be float32."""
        return self.to(dtypes.float32)

    def double(self) -> Any:
        """The same, to be float64."""
        return self.to(dtypes.float64)

    def half(self) -> Any:
        """The same, to be float16."""
        return self.to(dtypes.float16)

    def bfloat16(self) -> Any:
        """The same, to be bfloat16."""
        return self.to(dtypes.bfloat16)

    def cpu(self) -> Any:
        """The same, on the CPU."""
        return self.to("cpu")

    def cuda(self, device: Any = None, *_: Any, **__: Any) -> Any:
        """Refused: there is only the CPU."""
        return self.to("cuda" if device is None else device)

    def share_memory_(self) -> Any:
        """Refused: there is nothing to share yet."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to "
            "initialize the parameters before calling `module.share_memory()`."
        )

    def numel(self) -> int:
        """Refused: the shape is not known yet."""
        raise _use_error("numel()")

    nelement = numel

    def dim(self) -> int:
        """Refused: the shape is not known yet."""
        raise _use_error("dim()")

    def size(self, dim: Any = None) -> Any:
        """Refused: the shape is not known yet."""
        return self.shape

    def __len__(self) -> int:
        raise _use_error("len()")

    def detach(self) -> Any:
        """Refused: there are no values yet."""
        raise _use_error("detach()")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = uninitialized(type(self), self._rg, self.device, self.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return uninitialized, (type(self), self._rg, self.device, self.dtype)


def uninitialized(cls: type, requires_grad: bool, device: Any, dtype: Any) -> Any:
    """A new uninitialized tensor of a class."""
    try:
        wanted = dtypes.get_default_dtype() if dtype is None else dtype
        made: Any = make(np.zeros(0, wanted.np))
        made.__class__ = cls
        made._rg = requires_grad
        if device is not None and _device(device) != CPU:
            made.__dict__["_device"] = _device(device)
        return made
    except PROBLEMS as problem:
        explain_here(problem)
        raise


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape a lazy module finds out from its first input.

    >>> import chainrule as torch
    >>> weight = torch.nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> type(weight).__name__, weight.shape
    ('Parameter', torch.Size([2, 3]))
    """

    __slots__ = ()
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return uninitialized(cls, requires_grad, device, dtype)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape a lazy module finds out from its first input."""

    __slots__ = ()
    cls_to_become = Tensor

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        made = uninitialized(cls, requires_grad, device, dtype)
        made.persistent = persistent
        made._is_buffer = True
        return made
