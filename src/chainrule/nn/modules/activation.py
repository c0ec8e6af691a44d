"""Activations: functions applied element by element, and the softmax family."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import Tensor, empty
from ...autograd import refusal
from ...tensor import Parameter
from .. import functional as F
from .. import init as _init
from .function_layer import FunctionLayer
from .layer_common import warn_user
from .module import Module
from .multihead import MultiheadAttention

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh",
    "LeakyReLU", "LogSigmoid", "LogSoftmax", "Mish", "MultiheadAttention", "PReLU", "RReLU", "ReLU",
    "ReLU6", "SiLU", "Sigmoid", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink",
    "Softsign", "Tanh", "Tanhshrink", "Threshold",
]  # fmt: skip


class _MaybeInPlace(FunctionLayer):
    """An activation whose only choice is whether it writes into its input."""

    _shows = "inplace?"

    def __init__(self, inplace: bool = False) -> None:
        self._keep(locals())


# ---- linear in pieces ----------------------------------------------------------------------------


class ReLU(_MaybeInPlace):
    """input where positive, else 0.

    >>> import chainrule as torch
    >>> torch.nn.ReLU()(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """

    __constants__: ClassVar[list[str]] = ["inplace"]

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.relu(input, True) if self.inplace else F.relu(input)


class LeakyReLU(FunctionLayer):
    """input where positive, else negative_slope * input."""

    __constants__: ClassVar[list[str]] = ["inplace", "negative_slope"]
    _call = "F.leaky_relu(input, negative_slope, inplace)"
    _shows = "negative_slope, inplace?"

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        self._keep(locals())


class PReLU(FunctionLayer):
    """input where positive, else weight * input, with a learned weight (one, or one per channel).

    >>> import chainrule as torch
    >>> torch.nn.PReLU()(torch.tensor([-1., 2.])).detach()
    tensor([-0.2500,  2.0000])
    """

    __constants__: ClassVar[list[str]] = ["num_parameters"]

    weight: Parameter
    _shows = "num_parameters"

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        self._keep({"num_parameters": num_parameters, "init": init})
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """All weights to the initial one."""
        _init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.prelu(input, self.weight)


class RReLU(FunctionLayer):
    """leaky ReLU whose slope is drawn from [lower, upper] in training, their mean otherwise."""

    __constants__: ClassVar[list[str]] = ["lower", "upper", "inplace"]
    _call = "F.rrelu(input, lower, upper, training, inplace)"
    _shows = "lower, upper, inplace?"

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        self._keep(locals())


class Hardtanh(FunctionLayer):
    """input limited to [min_val, max_val]."""

    __constants__: ClassVar[list[str]] = ["min_val", "max_val", "inplace"]
    _call = "F.hardtanh(input, min_val, max_val, inplace)"
    _shows = "min_val, max_val, inplace?"

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
        min_value: float | None = None, max_value: float | None = None,
    ) -> None:  # fmt: skip
        for old, new, given in (
            ("min_value", "min_val", min_value),
            ("max_value", "max_val", max_value),
        ):
            if given is not None:
                warn_user(
                    f"keyword argument `{old}` is deprecated and renamed to `{new}`",
                    FutureWarning,
                )
        low = min_val if min_value is None else min_value
        high = max_val if max_value is None else max_value
        self._keep({"min_val": low, "max_val": high, "inplace": inplace})
        if high <= low:
            raise refusal.assertion(f"max_val ({high}) must be greater than min_val ({low})")


class ReLU6(Hardtanh):
    """input limited to [0, 6]."""

    _shows = "inplace?"

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)


class Hardsigmoid(_MaybeInPlace):
    """clamp(input + 3, 0, 6) / 6."""

    __constants__: ClassVar[list[str]] = ["inplace"]
    _call = "F.hardsigmoid(input, inplace)"
    _shows = ""  # as in PyTorch


class Hardswish(_MaybeInPlace):
    """input * clamp(input + 3, 0, 6) / 6."""

    __constants__: ClassVar[list[str]] = ["inplace"]
    _call = "F.hardswish(input, inplace)"
    _shows = ""  # as in PyTorch


class Threshold(FunctionLayer):
    """The input where above the threshold, else value."""

    __constants__: ClassVar[list[str]] = ["threshold", "value", "inplace"]
    _call = "F.threshold(input, threshold, value, inplace)"
    _shows = "threshold, value, inplace?"

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        self._keep(locals())


class _Shrink(FunctionLayer):
    _shows = "*lambd"

    def __init__(self, lambd: float = 0.5) -> None:
        self._keep(locals())


class Hardshrink(_Shrink):
    """0 within [-lambd, lambd], the input elsewhere."""

    __constants__: ClassVar[list[str]] = ["lambd"]
    _call = "F.hardshrink(input, lambd)"


class Softshrink(_Shrink):
    """The input moved towards 0 by lambd."""

    __constants__: ClassVar[list[str]] = ["lambd"]
    _call = "F.softshrink(input, lambd)"


# ---- smooth --------------------------------------------------------------------------------------


class _Exponential(FunctionLayer):
    _shows = "alpha, inplace?"

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        self._keep(locals())


class ELU(_Exponential):
    """input where positive, else alpha * (exp(input) - 1)."""

    __constants__: ClassVar[list[str]] = ["alpha", "inplace"]
    _call = "F.elu(input, alpha, inplace)"


class CELU(_Exponential):
    """input where positive, else alpha * (exp(input / alpha) - 1)."""

    __constants__: ClassVar[list[str]] = ["alpha", "inplace"]
    _call = "F.celu(input, alpha, inplace)"


class SELU(_MaybeInPlace):
    """ELU with the scale that keeps mean 0 and variance 1."""

    __constants__: ClassVar[list[str]] = ["inplace"]
    _call = "F.selu(input, inplace)"


class GELU(FunctionLayer):
    """input times the normal distribution's probability below it, or the tanh approximation.

    >>> import chainrule as torch
    >>> torch.nn.GELU()(torch.tensor([-1., 0., 1.]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    __constants__: ClassVar[list[str]] = ["approximate"]
    _call = "F.gelu(input, approximate=approximate)"
    _shows = "approximate!r"

    def __init__(self, approximate: str = "none") -> None:
        self._keep(locals())


class SiLU(_MaybeInPlace):
    """input * sigmoid(input)."""

    __constants__: ClassVar[list[str]] = ["inplace"]
    _call = "F.silu(input, inplace)"


class Mish(_MaybeInPlace):
    """input * tanh(softplus(input))."""

    __constants__: ClassVar[list[str]] = ["inplace"]
    _call = "F.mish(input, inplace)"


class Softplus(FunctionLayer):
    """log(1 + exp(beta * input)) / beta; the input itself beyond the threshold."""

    __constants__: ClassVar[list[str]] = ["beta", "threshold"]
    _call = "F.softplus(input, beta, threshold)"
    _shows = "beta, threshold"

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self._keep(locals())


class Sigmoid(FunctionLayer):
    """1 / (1 + exp(-input))."""

    _call = "torch.sigmoid(input)"


class Tanh(FunctionLayer):
    """The hyperbolic tangent."""

    _call = "torch.tanh(input)"


class LogSigmoid(FunctionLayer):
    """log(sigmoid(input)), stable."""

    _call = "F.logsigmoid(input)"


class Softsign(FunctionLayer):
    """input / (1 + |input|)."""

    _call = "F.softsign(input)"


class Tanhshrink(FunctionLayer):
    """input - tanh(input)."""

    _call = "F.tanhshrink(input)"


# ---- along a dimension ---------------------------------------------------------------------------


class GLU(FunctionLayer):
    """The first half along `dim` times the sigmoid of the second."""

    __constants__: ClassVar[list[str]] = ["dim"]
    _call = "F.glu(input, dim)"
    _shows = "dim"

    def __init__(self, dim: int = -1) -> None:
        self._keep(locals())


class _AlongDim(FunctionLayer):
    _shows = "dim"

    def __init__(self, dim: int | None = None) -> None:
        self._keep(locals())


class Softmax(_AlongDim):
    """Positive numbers that sum to 1 along `dim`, in proportion to exp(input).

    >>> import chainrule as torch
    >>> torch.nn.Softmax(dim=1)(torch.tensor([[0., 0.]]))
    tensor([[0.5000, 0.5000]])
    """

    __constants__: ClassVar[list[str]] = ["dim"]
    _call = "F.softmax(input, dim)"


class LogSoftmax(_AlongDim):
    """log(softmax(input)) along `dim`, stable."""

    __constants__: ClassVar[list[str]] = ["dim"]
    _call = "F.log_softmax(input, dim)"


class Softmin(_AlongDim):
    """softmax of -input."""

    __constants__: ClassVar[list[str]] = ["dim"]
    _call = "F.softmin(input, dim)"


class Softmax2d(Module):
    """softmax over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        """The softmax over the channels."""
        if input.ndim not in (3, 4):
            raise refusal.value(
                f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead"
            )
        return F.softmax(input, -3)
