"""Activations: functions applied element by element, and the softmax family."""

from __future__ import annotations

from typing import Any

from ... import Tensor, empty, sigmoid, tanh
from ... import relu as _relu
from ...autograd import refusal
from ...tensor import Parameter
from .. import functional as F
from .. import init as _init
from .layer_common import warn_user
from .module import Module
from .multihead import MultiheadAttention

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "MultiheadAttention",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]  # fmt: skip


def _also_in_place(inplace: bool) -> str:
    return ", inplace=True" if inplace else ""


class _Optional(Module):
    """An activation whose only choice is whether it writes into its input."""

    _function: Any = None

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return self._function(input, self.inplace)

    def extra_repr(self) -> str:
        """inplace=True, if so."""
        return "inplace=True" if self.inplace else ""


class _Parameterless(Module):
    """An activation without choices."""

    _function: Any = None

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return self._function(input)


# ---- linear in pieces ----------------------------------------------------------------------------


class ReLU(_Optional):
    """input where positive, else 0.

    >>> import chainrule as torch
    >>> torch.nn.ReLU()(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return input.relu_() if self.inplace else _relu(input)


class LeakyReLU(Module):
    """input where positive, else negative_slope * input."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The slope."""
        return f"negative_slope={self.negative_slope}{_also_in_place(self.inplace)}"


class PReLU(Module):
    """input where positive, else weight * input, with a learned weight (one, or one per channel).

    >>> import chainrule as torch
    >>> torch.nn.PReLU()(torch.tensor([-1., 2.])).detach()
    tensor([-0.2500,  2.0000])
    """

    weight: Parameter

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """All weights to the initial one."""
        _init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """The number of weights."""
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """leaky ReLU whose slope is drawn from [lower, upper] in training, their mean otherwise."""

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The bounds of the slope."""
        return f"lower={self.lower}, upper={self.upper}{_also_in_place(self.inplace)}"


class Hardtanh(Module):
    """input limited to [min_val, max_val]."""

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False,
        min_value: float | None = None, max_value: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        for old, new, given in (
            ("min_value", "min_val", min_value),
            ("max_value", "max_val", max_value),
        ):
            if given is not None:
                warn_user(
                    f"keyword argument `{old}` is deprecated and renamed to `{new}`",
                    FutureWarning,
                )
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise refusal.assertion(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        """The limits."""
        return f"min_val={self.min_val}, max_val={self.max_val}{_also_in_place(self.inplace)}"


class ReLU6(Hardtanh):
    """input limited to [0, 6]."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        """inplace=True, if so."""
        return "inplace=True" if self.inplace else ""


class Hardsigmoid(_Optional):
    """clamp(input + 3, 0, 6) / 6."""

    _function = staticmethod(F.hardsigmoid)

    def extra_repr(self) -> str:
        """Nothing, as in PyTorch."""
        return ""


class Hardswish(_Optional):
    """input * clamp(input + 3, 0, 6) / 6."""

    _function = staticmethod(F.hardswish)

    def extra_repr(self) -> str:
        """Nothing, as in PyTorch."""
        return ""


class Threshold(Module):
    """The input where above the threshold, else value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        """The threshold and the value."""
        return f"threshold={self.threshold}, value={self.value}{_also_in_place(self.inplace)}"


class _Shrink(Module):
    _function: Any = None

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return self._function(input, self.lambd)

    def extra_repr(self) -> str:
        """The limit."""
        return str(self.lambd)


class Hardshrink(_Shrink):
    """0 within [-lambd, lambd], the input elsewhere."""

    _function = staticmethod(F.hardshrink)


class Softshrink(_Shrink):
    """The input moved towards 0 by lambd."""

    _function = staticmethod(F.softshrink)


# ---- smooth --------------------------------------------------------------------------------------


class _Exponential(Module):
    _function: Any = None

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return self._function(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The limit towards minus infinity."""
        return f"alpha={self.alpha}{_also_in_place(self.inplace)}"


class ELU(_Exponential):
    """input where positive, else alpha * (exp(input) - 1)."""

    _function = staticmethod(F.elu)


class CELU(_Exponential):
    """input where positive, else alpha * (exp(input / alpha) - 1)."""

    _function = staticmethod(F.celu)


class SELU(_Optional):
    """ELU with the scale that keeps mean 0 and variance 1."""

    _function = staticmethod(F.selu)


class GELU(Module):
    """input times the normal distribution's probability below it, or the tanh approximation.

    >>> import chainrule as torch
    >>> torch.nn.GELU()(torch.tensor([-1., 0., 1.]))
    tensor([-0.1587,  0.0000,  0.8413])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The approximation."""
        return f"approximate={self.approximate!r}"


class SiLU(_Optional):
    """input * sigmoid(input)."""

    _function = staticmethod(F.silu)


class Mish(_Optional):
    """input * tanh(softplus(input))."""

    _function = staticmethod(F.mish)


class Softplus(Module):
    """log(1 + exp(beta * input)) / beta; the input itself beyond the threshold."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The sharpness and the threshold."""
        return f"beta={self.beta}, threshold={self.threshold}"


class Sigmoid(_Parameterless):
    """1 / (1 + exp(-input))."""

    _function = staticmethod(sigmoid)


class Tanh(_Parameterless):
    """The hyperbolic tangent."""

    _function = staticmethod(tanh)


class LogSigmoid(_Parameterless):
    """log(sigmoid(input)), stable."""

    _function = staticmethod(F.logsigmoid)


class Softsign(_Parameterless):
    """input / (1 + |input|)."""

    _function = staticmethod(F.softsign)


class Tanhshrink(_Parameterless):
    """input - tanh(input)."""

    _function = staticmethod(F.tanhshrink)


# ---- along a dimension ---------------------------------------------------------------------------


class GLU(Module):
    """The first half along `dim` times the sigmoid of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The activation of the input."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class _AlongDim(Module):
    _function: Any = None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The function along the dimension."""
        return self._function(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Positive numbers that sum to 1 along `dim`, in proportion to exp(input).

    >>> import chainrule as torch
    >>> torch.nn.Softmax(dim=1)(torch.tensor([[0., 0.]]))
    tensor([[0.5000, 0.5000]])
    """

    _function = staticmethod(F.softmax)


class LogSoftmax(_AlongDim):
    """log(softmax(input)) along `dim`, stable."""

    _function = staticmethod(F.log_softmax)


class Softmin(_AlongDim):
    """softmax of -input."""

    _function = staticmethod(F.softmin)


class Softmax2d(_Parameterless):
    """softmax over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        """The softmax over the channels."""
        if input.ndim not in (3, 4):
            raise refusal.value(
                f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead"
            )
        return F.softmax(input, -3)
