"""Initial values of parameters: each function fills a tensor in place, untracked, and returns it.

With the same seed the draws are PyTorch's, in PyTorch's order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import Tensor, empty_like, no_grad, randperm, where
from .. import linalg as _linalg
from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..autograd.source import warn_user

__all__ = [
    "calculate_gain", "constant", "constant_", "dirac", "dirac_", "eye", "eye_", "kaiming_normal",
    "kaiming_normal_", "kaiming_uniform", "kaiming_uniform_", "normal", "normal_", "ones_",
    "orthogonal", "orthogonal_", "sparse", "sparse_", "trunc_normal_", "uniform", "uniform_",
    "xavier_normal", "xavier_normal_", "xavier_uniform", "xavier_uniform_", "zeros_",
]  # fmt: skip

_CONVOLUTIONS = (f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3))
_NEUTRAL = frozenset(("linear", "sigmoid", *_CONVOLUTIONS))
_GAINS = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_FANS = ("fan_in", "fan_out")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which weights are to be scaled so that a nonlinearity keeps the variance.

    >>> calculate_gain("leaky_relu", 0.2)
    1.3867504905630728
    """
    if nonlinearity in _NEUTRAL:
        return 1
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        known = ", ".join(sorted({*_NEUTRAL, *_GAINS, "leaky_relu"}))
        raise refusal.value(f"Unsupported nonlinearity {nonlinearity}", why=f"Known: {known}.")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, int | float):
        raise refusal.value(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


# ---- plain fills ---------------------------------------------------------------------------------


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform values in [a, b).

    >>> import chainrule as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.uniform_(torch.empty(3), -1, 1)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal values."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Fill with normal values, those outside [a, b] drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn_user(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            f"values may be incorrect (mean={mean}, std={std}, a={a}, b={b}).",
        )
    inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    with no_grad():
        if inside > 0.3:
            return _redraw_outside(tensor, mean, std, a, b, generator)
        return _accept_by_density(tensor, mean, std, a, b, generator)


def _no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Any = None) -> Tensor:
    return uniform_(tensor, a, b, generator)


def _no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Any = None) -> Tensor:
    return normal_(tensor, mean, std, generator)


def _no_grad_trunc_normal_(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any = None
) -> Tensor:
    return trunc_normal_(tensor, mean, std, a, b, generator)


def _no_grad_fill_(tensor: Tensor, val: float) -> Tensor:
    return constant_(tensor, val)


def _no_grad_zero_(tensor: Tensor) -> Tensor:
    return zeros_(tensor)


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw_outside(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any
) -> Tensor:
    """Normal values until all are inside: quick when most of the curve is."""
    # The bounds as the tensor's type holds them, or a value rounded onto one would never be inside.
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    tensor.normal_(mean, std, generator=generator)
    outside = (tensor < low) | (tensor > high)
    while outside.any():
        again = empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(where(outside, again, tensor))
        outside = (tensor < low) | (tensor > high)
    return tensor


def _accept_by_density(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any
) -> Tensor:
    """Uniform values kept with a probability proportional to the curve: quick in a narrow range."""
    log_peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    pending = None
    while pending is None or pending.any():
        drawn = empty_like(tensor).uniform_(a, b, generator=generator)
        tensor.copy_(drawn if pending is None else where(pending, drawn, tensor))
        log_density = drawn.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)
        refused = empty_like(tensor).uniform_(generator=generator).log_() > log_density
        pending = refused if pending is None else pending & refused
    return tensor


# ---- identities ----------------------------------------------------------------------------------


def _wrong_rank(tensor: Tensor, function: str, wanted: str) -> ValueError:
    return refusal.value(
        f"Only tensors with {wanted} dimensions are supported",
        f"{function} got one of shape {list(tensor.shape)}",
    )


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity."""
    if tensor.ndim != 2:
        raise _wrong_rank(tensor, "eye_", "2")
    with no_grad():
        tensor.zero_().diagonal().fill_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution's weight so that it passes as many channels through as it can."""
    if tensor.ndim not in (3, 4, 5):
        raise _wrong_rank(tensor, "dirac_", "3, 4, or 5")
    if tensor.shape[0] % groups:
        raise refusal.value(
            f"dim 0 must be divisible by groups: {tensor.shape[0]} output channels, groups={groups}"
        )
    outputs = tensor.shape[0] // groups
    centre = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, tensor.shape[1])):
                tensor[(group * outputs + channel, channel, *centre)] = 1
    return tensor


# ---- scaled by the number of connections ---------------------------------------------------------


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """(connections into one output, connections out of one input) of a weight."""
    if tensor.ndim < 2:
        raise refusal.value(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
            f"its shape is {list(tensor.shape)}",
            fix="initialise biases with zeros_ or uniform_.",
        )
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in _FANS:
        raise refusal.value(f"Mode {mode} not supported, please use one of {list(_FANS)}")
    return _calculate_fan_in_and_fan_out(tensor)[_FANS.index(mode)]


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor))))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform values that keep the variance of activations and of gradients alike (Glorot)."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal values that keep the variance of activations and of gradients alike (Glorot)."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    """The standard deviation, None (with a warning) for a tensor without elements."""
    if 0 in tensor.shape:
        warn_user("Initializing zero-element tensors is a no-op")
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Uniform values that keep the variance through layers with this nonlinearity (He)."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Normal values that keep the variance through layers with this nonlinearity (He)."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0.0, std, generator)


# ---- structured ----------------------------------------------------------------------------------


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a (semi-)orthogonal matrix: dimension 0 against all the others.

    >>> import chainrule as torch
    >>> w = torch.nn.init.orthogonal_(torch.empty(2, 5))
    >>> bool(torch.allclose(w @ w.T, torch.eye(2), atol=1e-6))
    True
    """
    if tensor.ndim < 2:
        raise _wrong_rank(tensor, "orthogonal_", "2 or more")
    if not tensor.numel():
        return tensor
    with no_grad():
        rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q, r = _linalg.qr(drawn.t() if rows < columns else drawn)
        q *= r.diagonal().sign()  # with these signs all orthogonal matrices are equally likely
        tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape)).mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill a matrix with normal values, a share `sparsity` of every column with zeros."""
    if tensor.ndim != 2:
        raise _wrong_rank(tensor, "sparse_", "2")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[randperm(rows)[:zeros], column] = 0
    return tensor


# ---- names from before the underscore ------------------------------------------------------------


def _deprecated(new: Callable[..., Tensor]) -> Callable[..., Tensor]:
    name = new.__name__[:-1]

    def old(*args: Any, **kwargs: Any) -> Tensor:
        warn_user(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
        )
        return new(*args, **kwargs)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"The old name of `{name}_`."
    return old


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)


explain_module(globals())
