"""nn.functional: normalisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.errors import type_word
from ...autograd.value import PLAIN
from ...ops.dtypes import FLOAT, float32
from ...ops.later import Later
from ..api import public
from ..outputs import write_out
from .common import P
from .nn_common import lying_as, stand_in

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor

level_writes = Later("...autograd.level_writes", __package__)


def elements(shape: Any) -> int:
    """How many elements a shape has."""
    n = 1
    for d in shape:
        n *= d
    return n


def normalised(op: Any, x: Any, weight: Any, bias: Any, **geometry: Any) -> Any:
    """Run a norm's op with stand-ins for an absent weight or bias."""
    affine = (weight is not None, bias is not None)
    w = weight if affine[0] else stand_in(x)
    b = bias if affine[1] else stand_in(x)
    return op(x, w, b, affine=affine, **geometry)


def _mixed(x: Any, *others: Any) -> bool:
    """Half precision with float32 parameters, as autocast gives it: rounded once, at the end."""
    return any(t is not None and t.dtype is not x.dtype for t in others)


def need_real(x: Any, kernel: str) -> None:
    """Refuse what is not a float."""
    if x.dtype.category != FLOAT:
        raise refusal.not_implemented(
            f"\"{kernel}\" not implemented for '{type_word(x.dtype)}': norms are of real numbers",
            fix="convert the input with .float().",
        )


def _same_types(x: Any, *others: Any) -> None:
    half = x.dtype.itemsize == 2
    for t in others:
        if t is not None and t.dtype is not x.dtype and not (half and t.dtype is float32):
            raise refusal.runtime(
                f"mixed dtype (CPU): expected scalar type {x.dtype!r} but found {t.dtype!r}: input "
                "and affine parameters of a norm have one type, or float32 parameters and an input "
                "of half precision"
            )


def verify_batch(shape: Any) -> None:
    """A variance needs more than one value per channel."""
    if shape and elements(shape[:1]) * elements(shape[2:]) == 1:
        raise refusal.value(
            f"Expected more than 1 value per channel when training, got input size {list(shape)}",
            why="The variance of a single value is 0.",
            fix="use a larger batch, or call model.eval() for single examples.",
        )


# ---- layer norm ----------------------------------------------------------------------------------


def _trailing(x: Any, normalized_shape: Any, weight: Any, bias: Any) -> tuple[int, ...]:
    """normalized_shape as a tuple that ends x's shape and is the parameters' shape."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    own = tuple(x.shape)
    if not shape:
        raise refusal.runtime(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            "element, but got normalized_shape = []"
        )
    for what, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != shape:
            raise refusal.runtime(
                f"Expected {what} to be of same shape as normalized_shape, but got {what} of shape "
                f"{list(t.shape)} and normalized_shape = {list(shape)}"
            )
    if own[len(own) - len(shape) :] != shape or len(own) < len(shape):
        raise refusal.runtime(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, "
            f"{', '.join(map(str, shape))}], but got input of size{list(own)}"
        )
    return shape


def _layer_norm(x: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    shape = _trailing(x, normalized_shape, weight, bias)
    need_real(x, "LayerNormKernelImpl")
    _same_types(x, weight, bias)
    if _mixed(x, weight, bias):
        return _layer_norm(x.float(), normalized_shape, weight, bias, eps).to(x.dtype)
    n = elements(shape)
    rows = x.numel() // n if n else elements(x.shape[: x.ndim - len(shape)])
    return normalised(
        P.layer_norm, x, weight, bias, view=(rows, n), axes=(1,), channel=(1, n), eps=eps
    )


@public(namespace="nn.functional", out=False)
def layer_norm(
    input: Tensor,
    normalized_shape: Ints,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """The last dimensions of each example to mean 0 and variance 1, times weight plus bias."""
    try:
        if input.__class__ in PLAIN and weight.__class__ in PLAIN and bias.__class__ in PLAIN:
            # The usual call, in few steps: rows of one type with a weight and a bias.
            x, w, b = input._a, weight._a, bias._a  # type: ignore[union-attr]
            if (
                x.__class__ is np.ndarray and normalized_shape == w.shape == b.shape == x.shape[-1:]
                and x.size and w.ndim and x.dtype is w.dtype and x.dtype is b.dtype
            ):  # fmt: skip
                n = x.shape[-1]
                return P.layer_norm(
                    input, weight, bias, view=(x.size // n, n), axes=(1,), channel=(1, n), eps=eps,
                    affine=(True, True),
                )  # fmt: skip
        return _layer_norm(input, normalized_shape, weight, bias, eps)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False, method=False)
def native_layer_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor, bias: Tensor, eps: float
) -> tuple[Any, Any, Any]:
    """(layer_norm, mean, 1 / standard deviation)."""
    out = _layer_norm(input, normalized_shape, weight, bias, eps)
    k = 1 if isinstance(normalized_shape, int) else len(normalized_shape)
    axes = tuple(range(-k, 0))
    x = input.detach()
    mean = x.mean(axes, keepdim=True)
    var = x.var(axes, correction=0, keepdim=True)
    return out, mean, (var + eps).rsqrt()


@public(namespace="nn.functional", out=False, aliases=(".rms_norm",))
def rms_norm(
    input: Tensor, normalized_shape: Ints, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """The last dimensions of each example over their root mean square, times weight."""
    shape = _trailing(input, normalized_shape, weight, None)
    if eps is None:
        eps = float(np.finfo(np.float32).eps) if input.dtype.itemsize < 8 else 2.0**-52
    n = input.ndim
    axes = tuple(range(n - len(shape), n))
    w = stand_in(input) if weight is None else weight
    return P.rms_norm(input, w, axes=axes, eps=eps, weighted=weight is not None)


# ---- group norm ----------------------------------------------------------------------------------


def _group_norm(x: Any, groups: int, weight: Any, bias: Any, eps: float) -> Any:
    if x.ndim < 2:
        raise refusal.runtime(
            f"Expected at least 2 dimensions for input tensor but received {x.ndim}"
        )
    n, c = x.shape[0], x.shape[1]
    if groups <= 0 or c % groups:
        raise refusal.runtime(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(x.shape)} and num_groups={groups}"
        )
    for what, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != (c,):
            raise refusal.runtime(
                f"Expected {what} to be a vector of size equal to the number of channels in input, "
                f"but got {what} of shape {list(t.shape)} and input of shape {list(x.shape)}"
            )
    _same_types(x, weight, bias)
    if _mixed(x, weight, bias):
        return _group_norm(x.float(), groups, weight, bias, eps).to(x.dtype)
    inner = elements(x.shape[2:])
    return normalised(
        P.group_norm, x, weight, bias, view=(n, groups, c // groups, inner), axes=(2, 3),
        channel=(1, groups, c // groups, 1), eps=eps,
    )  # fmt: skip


@public(namespace="nn.functional", out=False, aliases=(".group_norm",))
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each group of channels of each example to mean 0 and variance 1."""
    verify_batch(
        (input.shape[0] * (input.shape[1] // max(1, num_groups)), num_groups, *input.shape[2:])
        if input.ndim > 1
        else (2,)
    )
    return _group_norm(input, num_groups, weight, bias, eps)


@public(out=False, method=False)
def native_group_norm(
    input: Tensor, weight: Tensor, bias: Tensor, N: int, C: int, HxW: int, group: int, eps: float
) -> tuple[Any, Any, Any]:
    """(group_norm, mean, 1 / standard deviation)."""
    out = _group_norm(input, group, weight, bias, eps)
    groups = input.reshape(N, group, C // group * HxW)
    return out, groups.mean(2), (groups.var(2, correction=0) + eps).rsqrt()


# ---- others --------------------------------------------------------------------------------------


@public(namespace="nn.functional", out=False)
def normalize(
    input: Tensor, p: float = 2.0, dim: Ints = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """The input over its p-norm along `dim` (not less than eps)."""
    norm = input.norm(p, dim, keepdim=True).clamp_min(eps)
    result = input / norm.expand_as(input)
    return result if out is None else write_out("normalize", result, out, (input,))


@public(namespace="nn.functional", out=False)
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """The input over (k + alpha * mean of neighbouring channels' squares) ** beta."""
    if input.ndim < 3:
        raise refusal.value(
            f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)"
        )
    from .nn_pool import window_mean
    from .nn_vision import pad

    if not input.numel():
        return input
    n, c = input.shape[0], input.shape[1]
    squares = (input * input).reshape(n, 1, c, -1)
    padded = pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = window_mean(padded, (size, 1)).reshape(input.shape)
    return input / lying_as(means * alpha + k, input) ** beta
