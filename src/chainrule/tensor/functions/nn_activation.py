"""nn.functional: activations."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ..api import public, write_out
from ..info import finfo
from ..overriding import awaken, call_as_given, public_function
from ..spellings import UNGIVEN, first_of
from .common import P, axis_of
from .half_types import fitting, half_type, rounded, single
from .nn_common import into, named
from .reductions import implicit_dim, softmax

if TYPE_CHECKING:
    from ..annotations import DType, Generator, Ints, Tensor

_SELU_ALPHA = 1.6732632423543772
_SELU_SCALE = 1.0507009873554805


@public(namespace="nn.functional", out=False)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """input where positive, else 0."""
    try:
        return input.relu_() if inplace else P.relu(input)
    except PROBLEMS as problem:
        if awaken((input,)):
            return call_as_given(public_function("nn.functional.relu"), locals())
        explain_here(problem)
        raise


@public(namespace="nn.functional", out=False, aliases=(".relu_",))
def relu_(input: Tensor) -> Tensor:
    """relu in place."""
    return input.relu_()


@public(namespace="nn.functional", out=False)
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """input limited to [min_val, max_val]."""
    if min_val > max_val:
        raise refusal.value(f"min_val cannot be greater than max_val: {min_val} > {max_val}")
    if inplace:
        return into(input, hardtanh, "hardtanh_", min_val, max_val)
    half = half_type(input)
    if half is not None:
        min_val, max_val = fitting(min_val, half), fitting(max_val, half)
    return P.hardtanh(input, low=min_val, high=max_val)


@public(namespace="nn.functional", out=False)
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """hardtanh in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


@public(namespace="nn.functional", out=False)
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input limited to [0, 6]."""
    return hardtanh(input, 0.0, 6.0, inplace)


@public(namespace="nn.functional", out=False)
def gelu(
    input: Tensor = UNGIVEN, x: Tensor = UNGIVEN, a: object = UNGIVEN, x1: Tensor = UNGIVEN, *,
    approximate: str = "none", out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """input times the normal distribution's probability below it, or the tanh approximation."""
    try:
        if input is ... or x is not ... or a is not ... or x1 is not ...:
            input = first_of("gelu", input, x, a, x1)
        if approximate not in ("none", "tanh"):
            raise refusal.runtime(
                f"approximate argument must be either none or tanh, not {approximate!r}"
            )
        result = P.gelu(input, approximate=approximate)
        return result if out is None else write_out("gelu", result, out, (input,))
    except PROBLEMS as problem:
        if awaken((input,)):
            return call_as_given(public_function("nn.functional.gelu"), locals())
        explain_here(problem)
        raise


@public(namespace="nn.functional", out=False)
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input * sigmoid(input)."""
    try:
        return into(input, silu, "silu_") if inplace else P.silu(input)
    except PROBLEMS as problem:
        if awaken((input,)):
            return call_as_given(public_function("nn.functional.silu"), locals())
        explain_here(problem)
        raise


@public(namespace="nn.functional", out=False)
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * tanh(softplus(input))."""
    return into(input, mish, "mish_") if inplace else P.mish(input)


@public(namespace="nn.functional")
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * input)) / beta; the input itself beyond the threshold."""
    return P.softplus(input, beta=beta, threshold=threshold)


@public(namespace="nn.functional")
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(input)), stable."""
    return P.logsigmoid(input)


@public(namespace="nn.functional", out=False)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, else alpha * (exp(input) - 1)."""
    if inplace:
        return into(input, elu, "elu_", alpha)
    return P.elu(input, alpha=alpha, scale=1.0, rate=1.0)


@public(namespace="nn.functional", out=False)
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """elu in place."""
    return elu(input, alpha, inplace=True)


@public(namespace="nn.functional", out=False, aliases=(".selu",))
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the scale that keeps mean 0 and variance 1."""
    if inplace:
        return into(input, selu, "selu_")
    return P.elu(input, alpha=_SELU_ALPHA, scale=_SELU_SCALE, rate=1.0)


@public(namespace="nn.functional", out=False, aliases=(".selu_",))
def selu_(input: Tensor) -> Tensor:
    """selu in place."""
    return selu(input, inplace=True)


@public(namespace="nn.functional", out=False, aliases=(".celu",))
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where positive, else alpha * (exp(input / alpha) - 1)."""
    if alpha == 0:
        raise refusal.runtime("ZeroDivisionError: alpha cannot be 0 for CELU")
    return into(input, celu, "celu_", alpha) if inplace else P.celu(input, alpha=alpha)


@public(namespace="nn.functional", out=False, aliases=(".celu_",))
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """celu in place."""
    return celu(input, alpha, inplace=True)


@public(namespace="nn.functional", out=False)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where positive, else negative_slope * input."""
    if inplace:
        return into(input, leaky_relu, "leaky_relu_", negative_slope)
    return P.leaky_relu(input, slope=negative_slope)


@public(namespace="nn.functional", out=False)
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """leaky_relu in place."""
    return leaky_relu(input, negative_slope, inplace=True)


@public(namespace="nn.functional", out=False)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """clamp(input + 3, 0, 6) / 6."""
    return into(input, hardsigmoid, "hardsigmoid_") if inplace else P.hardsigmoid(input)


@public(namespace="nn.functional", out=False)
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input * clamp(input + 3, 0, 6) / 6."""
    return into(input, hardswish, "hardswish_") if inplace else P.hardswish(input)


@public(namespace="nn.functional", aliases=(".hardshrink",), method=True)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """0 within [-lambd, lambd], the input elsewhere."""
    half = half_type(input)
    return P.hardshrink(input, limit=lambd if half is None else fitting(lambd, half))


@public(namespace="nn.functional")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """The input moved towards 0 by lambd."""
    largest = finfo(input.dtype).max if input.dtype.is_floating_point else float("inf")
    if not 0 <= lambd <= largest:
        raise refusal.runtime(
            f"lambda must be in range [0, {largest:g}] for input dtype {input.dtype!r}, but found "
            f"{lambd:g}"
        )
    return P.softshrink(input, limit=lambd)


@public(namespace="nn.functional", aliases=(".threshold",))
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """The input where above the threshold, else value."""
    if inplace:
        return into(input, P.threshold, "threshold_", limit=threshold, value=value)
    return P.threshold(input, limit=threshold, value=value)


@public(namespace="nn.functional", out=False, aliases=(".threshold_",))
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """threshold in place."""
    return into(input, P.threshold, "threshold_", limit=threshold, value=value)


@public(namespace="nn.functional", out=False, aliases=(".prelu",), method=True, autocast="lower")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where positive, else weight * input; one weight, or one per channel (dimension 1)."""
    if input.dtype is not weight.dtype:
        raise refusal.runtime(
            f"prelu: Type promoting not supported. Got {input.dtype!r} and {weight.dtype!r}"
        )
    count = weight.numel()
    if weight.ndim > 1:
        raise refusal.runtime(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
        )
    if count != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if count != channels:
            raise refusal.runtime(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{count} and channel size = {channels}.",
                f"input {list(input.shape)}, weight {list(weight.shape)}",
            )
        weight = weight.reshape((1, count) + (1,) * (input.ndim - 2))
    else:
        weight = weight.reshape((1,) * input.ndim)
    return P.prelu(input, weight)


@public(namespace="nn.functional", out=False)
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along `dim` times the sigmoid of the second."""
    if not input.ndim:
        raise refusal.runtime("glu does not support scalars because halving size must be even")
    d = axis_of(dim, input.ndim)
    size = input.shape[d]
    if size % 2:
        raise refusal.runtime(f"Halving dimension must be even, but dimension {d} is size {size}")
    lead = (slice(None),) * d
    first = P.slice_view(input, index=(*lead, slice(0, size // 2)))
    gate = P.slice_view(input, index=(*lead, slice(size // 2, size)))
    half = half_type(input)
    return named(rounded(single(first) * single(gate).sigmoid(), half), "GluBackward0")


@public(namespace="nn.functional", out=False)
def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    x = single(input)
    return rounded(x / (x.abs() + 1), half_type(input))


@public(namespace="nn.functional", out=False)
def tanhshrink(input: Tensor) -> Tensor:
    """input - tanh(input)."""
    x = single(input)
    return rounded(x - x.tanh(), half_type(input))


@public(namespace="nn.functional", out=False)
def softmin(
    input: Tensor, dim: Ints | None = None, _stacklevel: int = 3, dtype: DType | None = None
) -> Tensor:
    """softmax of -input."""
    x = -input if dtype is None else (-input).to(dtype)
    if dim is None:
        dim = implicit_dim(x.ndim, "softmin")
    return softmax(x, dim)


@public(namespace="nn.functional", out=False, aliases=(".rrelu",))
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """leaky_relu whose slope is drawn from [lower, upper] in training, their mean otherwise."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise refusal.runtime(f"rrelu: {name} bound must be finite, got {bound}")
    if lower > upper:
        raise refusal.runtime(
            f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}"
        )
    if inplace:
        call = functools.partial(rrelu, generator=generator)
        return into(input, call, "rrelu_", lower, upper, training)
    if not training:
        out = P.leaky_relu(input, slope=(lower + upper) / 2)
    else:
        out = input * P.rrelu_slopes(input.detach(), low=lower, high=upper, generator=generator)
    return named(out, "RreluWithNoiseBackward0", flat=True)


@public(namespace="nn.functional", out=False, aliases=(".rrelu_",))
def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """rrelu in place."""
    return rrelu(input, lower, upper, training, inplace=True, generator=generator)


@public(namespace="nn.functional", out=False)
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the Gumbel-softmax distribution; `hard`: one-hot with the soft gradient."""
    # Drawn in the order of the elements, whatever the order of the logits in memory.
    noise = -logits.detach().contiguous().clone().exponential_().log()
    soft = P.softmax((logits + noise) / tau, axis=axis_of(dim, logits.ndim))
    if not hard:
        return soft
    axis = axis_of(dim, logits.ndim)
    index = soft.argmax(axis)
    hit = P.cast(P.class_hits(index, classes=soft.shape[axis], axis=axis), dtype=soft.dtype.np)
    return hit - soft.detach() + soft
