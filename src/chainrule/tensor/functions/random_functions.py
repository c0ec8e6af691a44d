"""Random functions: new tensors, in-place draws, and dropout."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.inplace import inplace
from ...autograd.source import warn_user
from ...ops import dtypes
from ...ops.schema import TABLE
from ..api import public
from ..creation import empty, finish_tensor, np_dtype, on_meta, shape_of, write_new
from ..outputs import check_drawn
from ..overriding import awaken, call_as_given, public_function
from ..signatures import too_large
from .common import P, TensorBase

if TYPE_CHECKING:
    from ..annotations import (
        DeviceLike,
        DType,
        Generator,
        Ints,
        Layout,
        MemoryFormat,
        Operand,
        Tensor,
    )

# ---- new tensors ---------------------------------------------------------------------------------


@public(method=False, out=False)
def rand(
    *size: Ints, generator: Generator | None = None, out: Tensor | None = None,
    dtype: DType | None = None, layout: Layout | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Uniform values in [0, 1)."""
    shape = shape_of(named.pop("size", size), "rand")
    if on_meta(device):
        return empty(shape, dtype=dtype, device=device, requires_grad=requires_grad)
    check_drawn(out, np_dtype(dtype))
    t = P.draw_uniform(shape=shape, dtype=np_dtype(dtype), low=0.0, high=1.0, generator=generator)
    return write_new(out, t, requires_grad, device)


@public(method=False, out=False)
def randn(
    *size: Ints, generator: Generator | None = None, out: Tensor | None = None,
    dtype: DType | None = None, layout: Layout | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Normal values of mean 0 and variance 1."""
    shape = shape_of(named.pop("size", size), "randn")
    if on_meta(device):
        return empty(shape, dtype=dtype, device=device, requires_grad=requires_grad)
    check_drawn(out, np_dtype(dtype))
    t = P.draw_normal(shape=shape, dtype=np_dtype(dtype), mean=0.0, std=1.0, generator=generator)
    return write_new(out, t, requires_grad, device)


@public(method=False, out=False)
def randint(
    *args: Any, generator: Generator | None = None, out: Tensor | None = None,
    dtype: DType | None = None, layout: Layout | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Integers in [low, high): randint(high, size) or randint(low, high, size)."""
    low, high, size = _randint_arguments(args, named)
    wanted = np_dtype(dtype, dtypes.int64)
    shape = shape_of((size,), "randint")
    check_drawn(out, wanted)
    t = P.draw_integers(shape=shape, dtype=wanted, low=low, high=high, generator=generator)
    return write_new(out, t, requires_grad, device)


def _randint_arguments(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, int, Any]:
    values = list(args)
    if values and isinstance(values[-1], tuple | list):
        named["size"] = values.pop()
    if len(values) == 1:
        named.setdefault("low", values[0]) if "high" in named else named.update(high=values[0])
    elif len(values) == 2:
        named["low"], named["high"] = values
    if "high" not in named or "size" not in named or set(named) - {"low", "high", "size"}:
        raise refusal.wrong_type(
            "randint() received an invalid combination of arguments: it takes (high, size) or "
            "(low, high, size)"
        )
    low, high = (_bound(b, "randint") for b in (named.get("low", 0), named["high"]))
    return low, high, named["size"]


def _bound(given: Any, name: str) -> int:
    """A limit of the integers to draw; those of 64 bits can be."""
    bound = int(given.item() if isinstance(given, TensorBase) else given)  # type: ignore[attr-defined]
    if not -(2**63) <= bound < 2**63:
        raise too_large(name, "bound", bound)
    return bound


@public(method=False, out=False)
def randperm(
    n: int, *, generator: Generator | None = None, out: Tensor | None = None,
    dtype: DType | None = None, layout: Layout | None = None, device: DeviceLike | None = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A random order of 0 ... n-1."""
    wanted = np_dtype(dtype, dtypes.int64)
    check_drawn(out, wanted)
    t = P.draw_permutation(n=int(n), dtype=wanted, generator=generator)
    return write_new(out, t, requires_grad, device)


def _like(input: Any, dtype: Any, memory_format: Any) -> Any:
    """Memory of the input's shape and order to draw into."""
    from ..creation_like import empty_like

    return empty_like(input, dtype=dtype, memory_format=memory_format)


@public(method=False, out=False)
def rand_like(
    input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None,
    layout: Layout | None = None, pin_memory: bool = False, device: DeviceLike | None = None,
    requires_grad: bool = False, memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """Uniform values in [0, 1), of another tensor's shape and type."""
    t = P.fill_uniform(_like(input, dtype, memory_format), low=0.0, high=1.0, generator=generator)
    return finish_tensor(t, requires_grad, device)


@public(method=False, out=False)
def randn_like(
    input: Tensor, *, generator: Generator | None = None, dtype: DType | None = None,
    layout: Layout | None = None, pin_memory: bool = False, device: DeviceLike | None = None,
    requires_grad: bool = False, memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """Normal values of mean 0 and variance 1, of another tensor's shape and type."""
    t = P.fill_normal(_like(input, dtype, memory_format), mean=0.0, std=1.0, generator=generator)
    return finish_tensor(t, requires_grad, device)


@public(method=False, out=False)
def randint_like(
    input: Tensor, low: int | None = None, high: int | None = None, *,
    generator: Generator | None = None, dtype: DType | None = None, layout: Layout | None = None,
    pin_memory: bool = False, device: DeviceLike | None = None, requires_grad: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:  # fmt: skip
    """Integers in [low, high), of another tensor's shape and type."""
    if high is None or low is None:
        low, high = 0, low if high is None else high
    low, high = _bound(low, "randint_like"), _bound(high, "randint_like")
    like = _like(input, dtype, memory_format)
    t = P.fill_integers(like, low=low, high=high, generator=generator)
    return finish_tensor(t, requires_grad, device)


@public(method=False)
def normal(
    mean: Operand = 0.0, std: Operand = 1.0, size: Ints | None = None, *,
    generator: Generator | None = None, dtype: DType | None = None,
    device: DeviceLike | None = None, requires_grad: bool = False, **ignored: Any,
) -> Tensor:  # fmt: skip
    """Normal values: one for each mean and std, or `size` values of one mean and std."""
    of: Any = mean
    spread: Any = std
    if isinstance(mean, TensorBase) and isinstance(std, TensorBase):
        return P.normal_draw(mean, std, generator=generator)
    if isinstance(mean, TensorBase):
        return P.normal_around(mean, std=float(spread), generator=generator)
    if isinstance(std, TensorBase):
        return P.normal_of_std(std, mean=float(of), generator=generator)
    shape = shape_of((size,), "normal")
    t = P.draw_normal(
        shape=shape, dtype=np_dtype(dtype), mean=float(of), std=float(spread), generator=generator
    )
    return finish_tensor(t, requires_grad, device)


@public()
def bernoulli(
    input: Tensor, p: float | Tensor | None = None, *, generator: Generator | None = None
) -> Tensor:
    """Ones with the probabilities that the tensor holds, or with probability p."""
    if p is None:
        return P.bernoulli_draw(input, generator=generator)
    return bernoulli_(input.clone(), p, generator=generator)


@public(method=False, out=False)
def poisson(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Poisson counts, one for each rate."""
    return P.poisson_draw(input, generator=generator)


@public(method=False, out=False)
def binomial(count: Operand, prob: Operand, generator: Generator | None = None) -> Tensor:
    """Successes in `count` trials of probability `prob`."""
    return P.binomial_draw(count, prob, generator=generator)


@public()
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Indices of categories drawn with the weights in each row."""
    return P.multinomial_draw(
        input, count=int(num_samples), replacement=bool(replacement), generator=generator
    )


# ---- in place ------------------------------------------------------------------------------------


def uniform_(self: Tensor, from_: float = 0, to: float = 1, *, generator: Generator | None = None,
             **named: Any) -> Tensor:  # fmt: skip
    """Fill with uniform values in [from, to)."""
    low = named.pop("from", from_)
    params = {"low": float(low), "high": float(to), "generator": generator}
    return inplace(TABLE["fill_uniform"], self, (), params, "uniform_")


def normal_(
    self: Tensor, mean: float = 0, std: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill with normal values."""
    params = {"mean": float(mean), "std": float(std), "generator": generator}
    return inplace(TABLE["fill_normal"], self, (), params, "normal_")


def log_normal_(
    self: Tensor, mean: float = 1, std: float = 2, *, generator: Generator | None = None
) -> Tensor:
    """Fill with exponentials of normal values."""
    params = {"mean": float(mean), "std": float(std), "generator": generator}
    return inplace(TABLE["fill_log_normal"], self, (), params, "log_normal_")


def exponential_(self: Tensor, lambd: float = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill with exponentially distributed values of rate `lambd`."""
    params = {"rate": float(lambd), "generator": generator}
    return inplace(TABLE["fill_exponential"], self, (), params, "exponential_")


def cauchy_(
    self: Tensor, median: float = 0, sigma: float = 1, *, generator: Generator | None = None
) -> Tensor:
    """Fill with Cauchy values."""
    params = {"median": float(median), "sigma": float(sigma), "generator": generator}
    return inplace(TABLE["fill_cauchy"], self, (), params, "cauchy_")


def geometric_(self: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with numbers of trials up to the first success of probability p."""
    params = {"p": float(p), "generator": generator}
    return inplace(TABLE["fill_geometric"], self, (), params, "geometric_")


def random_(
    self: Tensor, from_: int | None = None, to: int | None = None, *,
    generator: Generator | None = None, **given: Any,
) -> Tensor:  # fmt: skip
    """Fill with integers: over the type's range, in [0, to) or in [from, to)."""
    low = given.get("from", from_)
    if low is None and to is None:
        params: dict[str, Any] = {"generator": generator}
        return inplace(TABLE["fill_full_range"], self, (), params, "random_")
    if to is None and "from" not in given:
        low, to = 0, low
    low, high = _bound(low or 0, "random_"), None if to is None else _bound(to, "random_")
    params = {"low": low, "high": high, "generator": generator}
    return inplace(TABLE["fill_integers"], self, (), params, "random_")


def bernoulli_(
    self: Tensor, p: float | Tensor = 0.5, *, generator: Generator | None = None
) -> Tensor:
    """Fill with ones of probability p (a number, or a tensor of them), else zeros."""
    if isinstance(p, TensorBase):
        params = {"generator": generator}
        return inplace(TABLE["fill_bernoulli_each"], self, (p,), params, "bernoulli_")
    params = {"p": float(p), "generator": generator}
    return inplace(TABLE["fill_bernoulli"], self, (), params, "bernoulli_")


METHODS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        uniform_,
        normal_,
        log_normal_,
        exponential_,
        cauchy_,
        geometric_,
        random_,
        bernoulli_,
    )
}


# ---- dropout -------------------------------------------------------------------------------------

# The value a SELU network settles at far below zero, and what keeps its mean and variance.
_ALPHA = 1.7580993408473766


def _check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise refusal.value(f"dropout probability has to be between 0 and 1, but got {p}")


def _noise_shape(input: Any, feature: bool) -> tuple[int, ...]:
    shape = tuple(input.shape)
    if not feature:
        return shape
    if len(shape) < 2:
        raise refusal.runtime(
            "Feature dropout requires at least 2 dimensions in the input, its shape is "
            f"{list(shape)}"
        )
    return (*shape[:2], *((1,) * (len(shape) - 2)))


def _times(input: Any, factor: Any, in_place: bool) -> Any:
    return input.mul_(factor) if in_place else input * factor


def _drop(input: Any, p: float, training: bool, in_place: bool, feature: bool = False) -> Any:
    """input with elements (or whole channels) set to zero, the rest scaled to keep the mean."""
    _check_probability(p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return _times(input, _zero(input), in_place)
    dtype = input.dtype.np
    if dtype.char not in "fd":
        return _times(input, _mask(input, feature, p, 1.0).div_(1 - p), in_place)
    kept = 1 / dtype.type(1 - p)  # rounded as a division of the mask would be
    return _times(input, _mask(input, feature, p, float(kept)), in_place)


def _mask(input: Any, feature: bool, p: float, kept: float) -> Any:
    """The noise of dropout, drawn in the order in which the elements of the input lie in memory."""
    shape, dtype = _noise_shape(input, feature), input.dtype.np
    if feature or input.is_contiguous() or 0 in input.stride():
        mask = P.draw_mask(shape=shape, dtype=dtype, p=p, kept=kept, generator=None)
        # A tensor of a mesh: all processes must draw alike.
        return input._shared(mask) if hasattr(input, "_local_tensor") else mask
    strides = input.stride()
    order = sorted(range(len(shape)), key=lambda axis: -strides[axis])
    lying = tuple(shape[axis] for axis in order)
    mask = P.draw_mask(shape=lying, dtype=dtype, p=p, kept=kept, generator=None)
    return mask.permute(*sorted(range(len(order)), key=order.__getitem__))


def _zero(input: Any) -> Any:
    from ..creation import zeros

    return zeros((), dtype=input.dtype)


def _alpha_drop(input: Any, p: float, training: bool, in_place: bool, feature: bool) -> Any:
    """Dropout to the negative limit of SELU, shifted and scaled to keep mean and variance."""
    _check_probability(p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        return _times(input, _zero(input), in_place)
    scale = 1 / math.sqrt((_ALPHA**2 * p + 1) * (1 - p))
    mask = _mask(input, feature, p, 1.0)
    shift = mask.sub(1).mul_(_ALPHA * scale).add_(_ALPHA * scale * p)
    kept = _times(input, mask.mul_(scale), in_place)
    return kept.add_(shift) if in_place else kept + shift


@public(namespace="nn.functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element set to zero with probability p, the others scaled by 1 / (1 - p)."""
    try:
        return _drop(input, p, training, inplace)
    except PROBLEMS as problem:
        if awaken((input,)):
            return call_as_given(public_function("nn.functional.dropout"), locals())
        explain_here(problem)
        raise


@public("dropout", method=False, out=False)
def package_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each element set to zero with probability p, the others scaled by 1 / (1 - p)."""
    return _drop(input, p, train, False)


@public("dropout_", method=False, out=False)
def package_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of dropout."""
    return _drop(input, p, train, True)


@public(method=False, out=False)
def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Each channel set to zero with probability p, the others scaled by 1 / (1 - p)."""
    return _drop(input, p, train, False, feature=True)


@public(namespace="nn.functional", aliases=(".alpha_dropout",))
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean and variance of SELU activations."""
    return _alpha_drop(input, p, training, inplace, feature=False)


@public(namespace="nn.functional", aliases=(".feature_alpha_dropout",))
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Alpha dropout of whole channels."""
    return _alpha_drop(input, p, training, inplace, feature=True)


def _channel_drop(
    input: Any, p: float, training: bool, in_place: bool, ranks: tuple[int, int], name: str
) -> Any:
    """Dropout of whole channels of an input with or without a batch dimension."""
    _check_probability(p)
    if input.ndim not in ranks:
        if name == "dropout1d":
            raise refusal.runtime(
                f"{name}: Expected 2D or 3D input, but received a {input.ndim}D input. Note that "
                "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial "
                "dimension, a channel dimension, and an optional batch dimension"
            )
        warn_user(
            f"{name}: Received a {input.ndim}-D input to {name}, which is deprecated and will "
            f"result in an error in a future release; expected {ranks[0]}-D or {ranks[1]}-D.",
        )
        return _drop(input, p, training, in_place, feature=True)
    if input.ndim == ranks[1]:
        return _drop(input, p, training, in_place, feature=True)
    return _drop(input.unsqueeze(0), p, training, in_place, feature=True).squeeze(0)


@public(namespace="nn.functional")
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each channel of (N, C, L) or (C, L) set to zero with probability p."""
    return _channel_drop(input, p, training, inplace, (2, 3), "dropout1d")


@public(namespace="nn.functional")
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each channel of (N, C, H, W) set to zero with probability p."""
    _check_probability(p)
    if input.ndim == 3:
        warn_user(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. Use dropout1d for that.",
        )
        return _drop(input, p, training, inplace, feature=True)
    return _channel_drop(input, p, training, inplace, (4, 4), "dropout2d")


@public(namespace="nn.functional")
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Each channel of (N, C, D, H, W) or (C, D, H, W) set to zero with probability p."""
    return _channel_drop(input, p, training, inplace, (4, 5), "dropout3d")
