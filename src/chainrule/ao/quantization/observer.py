"""Observers: modules that let a tensor pass and remember what range a format must cover."""

from __future__ import annotations

import functools
from typing import Any

import chainrule as torch
from chainrule import nn

from ...autograd import source
from ...standins import add_to as _add_stand_ins
from .formats import (
    QuantizedFormat,
    per_channel_affine,
    per_channel_symmetric,
    per_tensor_affine,
    per_tensor_symmetric,
    qint8,
    quint8,
)

_SYMMETRIC = (per_tensor_symmetric, per_channel_symmetric)


class _Factory:
    """A class with some arguments given; `with_args` gives more of them."""

    def __init__(self, made: Any) -> None:
        self.p = made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.p(*args, **kwargs)

    def with_args(self, **kwargs: Any) -> _Factory:
        """The same with more arguments given."""
        return _Factory(functools.partial(self.p, **kwargs))

    def __repr__(self) -> str:
        return repr(self.p)


class ObserverBase(nn.Module):
    """The common part: a format, and `with_args` to make observers later."""

    def __init__(self, dtype: Any, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype = dtype
        self.is_dynamic = is_dynamic

    def forward(self, x: Any) -> Any:
        """The input itself, seen in the way of a subclass."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """(scale, zero point) for what was seen."""
        raise NotImplementedError

    @classmethod
    def with_args(cls, **kwargs: Any) -> _Factory:
        """Observers with these arguments, to be made later."""
        return _Factory(functools.partial(cls, **kwargs))


EPS = torch.finfo(torch.float32).eps


class UniformQuantizationObserverBase(ObserverBase):
    """Scale and zero point from the least and the largest value seen."""

    def __init__(
        self,
        dtype: Any = quint8,
        qscheme: Any = per_tensor_affine,
        reduce_range: bool = False,
        quant_min: int | None = None,
        quant_max: int | None = None,
        factory_kwargs: Any = None,
        eps: float = EPS,
        is_dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(dtype, is_dynamic)
        if not isinstance(dtype, QuantizedFormat):
            raise ValueError(
                "Default Observer only works for quantized formats (qint8, quint8, ...), got "
                f"{dtype}"
            )
        self.qscheme = qscheme
        self.reduce_range = reduce_range
        self.has_customized_qrange = quant_min is not None and quant_max is not None
        self.register_buffer("eps", torch.tensor([eps]))
        self.quant_min, self.quant_max = self._range(quant_min, quant_max)
        self.min_val: Any
        self.max_val: Any
        self.register_buffer("min_val", self._empty(float("inf")))
        self.register_buffer("max_val", self._empty(-float("inf")))

    def _empty(self, value: float) -> Any:
        return torch.tensor(value)

    def _range(self, low: Any, high: Any) -> tuple[int, int]:
        if low is None or high is None:
            low, high = self.dtype.low, self.dtype.high
        elif low > 0 or high < 0 or low >= high:
            raise AssertionError(
                f"quant_min {low} and quant_max {high} must enclose 0 and be in order"
            )
        return (low // 2, high // 2) if self.reduce_range else (low, high)

    def calculate_qparams(self, **kwargs: Any) -> tuple[Any, Any]:
        """(scale, zero point) for what was seen."""
        if not self.min_val.numel() or bool((self.min_val > self.max_val).any()):
            source.warn_user(
                "must run observer before calling calculate_qparams. Returning default values."
            )
            return torch.tensor([1.0]), torch.tensor([0])
        low = torch.clamp(self.min_val, max=0)
        high = torch.clamp(self.max_val, min=0)
        span = float(self.quant_max - self.quant_min)
        if self.qscheme in _SYMMETRIC:
            scale = torch.maximum(torch.maximum(-low, high) / (span / 2), self.eps)
            return scale, torch.full_like(scale, self._middle(), dtype=torch.int64)
        scale = torch.maximum((high - low) / span, self.eps)
        zero = self.quant_min - torch.round(low / scale).int()
        return scale, zero.clamp(self.quant_min, self.quant_max)

    def _middle(self) -> int:
        if self.dtype is not quint8:
            return 0
        return (self.quant_min + self.quant_max) // 2 if self.has_customized_qrange else 128

    def reset_min_max_vals(self) -> None:
        """Forget what was seen."""
        self.min_val = self._empty(float("inf"))
        self.max_val = self._empty(-float("inf"))

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}"


class MinMaxObserver(UniformQuantizationObserverBase):
    """The least and the largest of all values seen.

    >>> import chainrule as torch
    >>> observer = torch.ao.quantization.MinMaxObserver()
    >>> observer(torch.tensor([-1.0, 4.0])).tolist()
    [-1.0, 4.0]
    >>> observer.calculate_qparams()
    (tensor([0.0196]), tensor([51], dtype=torch.int32))
    """

    def forward(self, x_orig: Any) -> Any:
        """The input itself, seen."""
        if x_orig.numel():
            x = x_orig.detach().to(self.min_val.dtype)
            self.min_val.copy_(torch.minimum(x.amin(), self.min_val))
            self.max_val.copy_(torch.maximum(x.amax(), self.max_val))
        return x_orig


class MovingAverageMinMaxObserver(UniformQuantizationObserverBase):
    """Moving averages of the least and the largest value of each tensor seen."""

    def __init__(
        self, averaging_constant: float = 0.01, dtype: Any = quint8,
        qscheme: Any = per_tensor_affine, reduce_range: bool = False, quant_min: int | None = None,
        quant_max: int | None = None, eps: float = EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, eps=eps, is_dynamic=is_dynamic,
            **kwargs,
        )  # fmt: skip
        self.averaging_constant = averaging_constant

    def forward(self, x_orig: Any) -> Any:
        """The input itself, seen."""
        if x_orig.numel():
            low, high = self._extremes(x_orig.detach().to(self.min_val.dtype))
            if not self.min_val.numel() or bool((self.min_val > self.max_val).any()):
                self.min_val, self.max_val = low, high
            else:
                part = self.averaging_constant
                self.min_val = self.min_val + part * (low - self.min_val)
                self.max_val = self.max_val + part * (high - self.max_val)
        return x_orig

    def _extremes(self, x: Any) -> tuple[Any, Any]:
        return x.amin(), x.amax()


class _PerChannel(UniformQuantizationObserverBase):
    """One range for each slice along a dimension."""

    ch_axis: int

    def _empty(self, value: float) -> Any:
        return torch.tensor([])

    def _extremes(self, x: Any) -> tuple[Any, Any]:
        rows = x.movedim(self.ch_axis, 0).reshape(x.shape[self.ch_axis], -1)
        return rows.amin(1), rows.amax(1)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        for name in ("min_val", "max_val"):  # their lengths are known from the file alone
            saved = state_dict.get(prefix + name)
            if isinstance(saved, torch.Tensor):
                setattr(self, name, torch.empty_like(saved))
        super()._load_from_state_dict(state_dict, prefix, *args)


class PerChannelMinMaxObserver(_PerChannel):
    """The least and the largest value seen of each slice along a dimension."""

    def __init__(
        self, ch_axis: int = 0, dtype: Any = quint8, qscheme: Any = per_channel_affine,
        reduce_range: bool = False, quant_min: int | None = None, quant_max: int | None = None,
        factory_kwargs: Any = None, eps: float = EPS, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            dtype, qscheme, reduce_range, quant_min, quant_max, factory_kwargs, eps, is_dynamic,
            **kwargs,
        )  # fmt: skip
        self.ch_axis = ch_axis

    def forward(self, x_orig: Any) -> Any:
        """The input itself, seen."""
        if x_orig.numel():
            low, high = self._extremes(x_orig.detach().to(torch.float32))
            seen = self.min_val.numel() > 0
            self.min_val = torch.minimum(low, self.min_val) if seen else low
            self.max_val = torch.maximum(high, self.max_val) if seen else high
        return x_orig


class MovingAveragePerChannelMinMaxObserver(_PerChannel, MovingAverageMinMaxObserver):
    """Moving averages of the ranges of each slice along a dimension."""

    def __init__(
        self, averaging_constant: float = 0.01, ch_axis: int = 0, dtype: Any = quint8,
        qscheme: Any = per_channel_affine, reduce_range: bool = False,
        quant_min: int | None = None, quant_max: int | None = None, eps: float = EPS,
        is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(
            averaging_constant, dtype, qscheme, reduce_range, quant_min, quant_max, eps,
            is_dynamic, **kwargs,
        )  # fmt: skip
        self.ch_axis = ch_axis


class FixedQParamsObserver(ObserverBase):
    """A scale and zero point that are given."""

    def __init__(
        self, scale: float, zero_point: int, dtype: Any = quint8, qscheme: Any = per_tensor_affine,
        quant_min: int = 0, quant_max: int = 255, is_dynamic: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(dtype, is_dynamic)
        self.qscheme, self.quant_min, self.quant_max = qscheme, quant_min, quant_max
        self.register_buffer("scale", torch.tensor([scale], dtype=torch.float32))
        self.register_buffer("zero_point", torch.tensor([zero_point], dtype=torch.int32))

    def forward(self, X: Any) -> Any:
        """The input itself."""
        return X

    def calculate_qparams(self, **kwargs: Any) -> tuple[Any, Any]:
        """The given scale and zero point."""
        return self.scale, self.zero_point


class PlaceholderObserver(ObserverBase):
    """Observes nothing: it only says which format comes here."""

    def __init__(
        self, dtype: Any = torch.float32, custom_op_name: str = "", compute_dtype: Any = None,
        quant_min: int | None = None, quant_max: int | None = None, qscheme: Any = None,
        eps: float | None = None, is_dynamic: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype, is_dynamic or compute_dtype is not None)
        self.custom_op = custom_op_name
        self.quant_min, self.quant_max = quant_min, quant_max
        self.qscheme = per_tensor_affine if qscheme is None else qscheme
        self.eps = eps

    def forward(self, x: Any) -> Any:
        """The input itself."""
        return x

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """Refused: nothing was observed."""
        raise Exception("calculate_qparams should not be called for PlaceholderObserver")


class NoopObserver(PlaceholderObserver):
    """Observes nothing."""

    def __init__(self, dtype: Any = torch.float16, custom_op_name: str = "") -> None:
        super().__init__(dtype, custom_op_name)


class RecordingObserver(ObserverBase):
    """Keeps a copy of every tensor seen."""

    def __init__(self, dtype: Any = quint8) -> None:
        super().__init__(dtype)
        self.tensor_val: list[Any] = []

    def forward(self, x: Any) -> Any:
        """The input itself, copied."""
        self.tensor_val.append(x.detach().clone())
        return x

    def get_tensor_value(self) -> list[Any]:
        """The copies."""
        return self.tensor_val


default_observer = MinMaxObserver.with_args(quant_min=0, quant_max=127)
default_weight_observer = MinMaxObserver.with_args(dtype=qint8, qscheme=per_tensor_symmetric)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(
    dtype=qint8, qscheme=per_channel_symmetric
)
weight_observer_range_neg_127_to_127 = MinMaxObserver.with_args(
    dtype=qint8, qscheme=per_tensor_symmetric, quant_min=-127, quant_max=127, eps=2**-12
)
per_channel_weight_observer_range_neg_127_to_127 = PerChannelMinMaxObserver.with_args(
    dtype=qint8, qscheme=per_channel_symmetric, quant_min=-127, quant_max=127, eps=2**-12
)
default_placeholder_observer = PlaceholderObserver
default_debug_observer = RecordingObserver

_add_stand_ins(globals())
