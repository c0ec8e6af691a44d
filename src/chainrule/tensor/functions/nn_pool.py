"""nn.functional: pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.expected import expect_within
from ...autograd.value import bottom
from ...ops.dtypes import FLOAT
from ...ops.pool import pooled_sizes
from ..api import in_dims, public
from ..creation import refuse_overflow
from ..refused_types import refuse
from .common import P, ints_of
from .nn_common import named

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor


def _ints(value: Any, nd: int, name: str, what: str) -> tuple[int, ...]:
    values = ints_of(value, what, name)
    if len(values) == 1:
        values = values * nd
    if len(values) != nd:
        raise refusal.runtime(
            f"{name}: {what} must either be a single int, or a tuple of {nd} ints, got {value!r}"
        )
    return values


def _windows(
    x: Any, nd: int, name: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
    ceil_mode: bool,
) -> dict[str, Any]:  # fmt: skip
    """The checked parameters of a pooling."""
    shape = tuple(x.shape)
    if len(shape) not in (nd + 1, nd + 2):
        raise refusal.runtime(
            f"{name}: Expected {nd + 1}D or {nd + 2}D (batch mode) tensor for input, non-empty "
            f"{nd + 1}D or {nd + 2}D (batch mode) tensor expected for input, but got: "
            f"{list(x.shape)}"
        )
    kernel = _ints(kernel_size, nd, name, "kernel_size")
    steps = kernel if stride is None or stride == () or stride == [] else _ints(
        stride, nd, name, "stride")  # fmt: skip
    pads, gaps = _ints(padding, nd, name, "padding"), _ints(dilation, nd, name, "dilation")
    for what, values in (("kernel_size", kernel), ("stride", steps), ("dilation", gaps)):
        if min(values) <= 0:
            also = "stride should not be zero: " if what == "stride" and 0 in values else ""
            raise refusal.runtime(
                f"{also}{name}() {what} must be greater than zero, but got {min(values)}",
                f"{what.replace('_', ' ')} should be greater than zero, not {list(values)}",
            )
    for p, k, d in zip(pads, kernel, gaps, strict=True):
        if p < 0:
            raise refusal.runtime(f"pad must be non-negative, but got pad: {p}", f"{name}")
        if p > (d * (k - 1) + 1) // 2:
            raise refusal.runtime(
                f"pad should be at most half of effective kernel size, but got pad={p}, "
                f"kernel_size={k} and dilation={d}",
                f"{name}",
            )
    image = shape[-nd - 1 :]
    if 0 in image:
        raise _nothing_to_pool(x, nd, name)
    out = pooled_sizes(image[1:], kernel, steps, pads, gaps, ceil_mode)
    if min(out) < 1:
        before = "x".join(map(str, image))
        after = "x".join(map(str, (image[0], *out)))
        raise refusal.runtime(
            f"Given input size: ({before}). Calculated output size: ({after}). Output size is too "
            "small",
            f"{name}",
            fix="use a smaller kernel or pad the input.",
        )
    return {"kernel": kernel, "stride": steps, "padding": pads, "dilation": gaps,
            "ceil": bool(ceil_mode)}  # fmt: skip


def _nothing_to_pool(x: Any, nd: int, name: str) -> RuntimeError:
    phrase = (
        f"{name}: Expected {nd + 1}D or {nd + 2}D (batch mode) tensor with optional 0 dim batch "
        "size for input"
    )
    if nd == 3:
        phrase = f"{name}(): Expected input's non-batch dimensions to have positive length"
    return refusal.runtime(
        f"{phrase}, but got:{list(x.shape)}",
        why="There is nothing to pool: only the batch may be empty.",
    )


# ---- maxima --------------------------------------------------------------------------------------


@in_dims(
    1, 2, 3, namespace="nn.functional", out=False, aliases=(".max_pool{}d",),
    autocast={3: "float32"},
)  # fmt: skip
def max_pool(nd: int) -> Any:
    def pool(
        input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0,
        dilation: Ints = 1, ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        """The largest element of each window."""
        name = f"max_pool{nd}d"
        w = _windows(input, nd, name, kernel_size, stride, padding, dilation, ceil_mode)
        out = getattr(P, name)(input, **w)
        return (out, P.max_pool_index(input.detach(), **w)) if return_indices else out

    return pool


max_pool1d, max_pool2d, max_pool3d = max_pool


def _adaptive_size(x: Any, output_size: Any, nd: int, name: str) -> tuple[int, ...]:
    if isinstance(output_size, tuple | list) and nd > 1 and x.ndim < nd + 1:
        raise refusal.value(
            f"{name}(): Input dimension should be at least {nd + 1}, but it has shape "
            f"{list(x.shape)}"
        )
    if x.ndim not in (nd + 1, nd + 2):
        raise refusal.runtime(
            f"{name}(): Expected {nd + 1}D or {nd + 2}D tensor, but got {list(x.shape)}"
        )
    have = x.shape[x.ndim - nd :]
    if isinstance(output_size, tuple | list) and None in output_size:
        output_size = [
            n if w is None else w for n, w in zip(have, output_size, strict=len(output_size) != 1)
        ]
    wanted = ints_of(output_size, "output_size", name)
    size = wanted * nd if len(wanted) == 1 else wanted
    if len(size) != nd:
        raise refusal.runtime(
            f"{name}() argument 'output_size' should contain {'one int' if nd == 1 else nd} (got "
            f"{len(size)}): output_size.size() must be {nd}"
        )
    if any(s < 0 for s in size):
        raise refusal.runtime(
            f"Trying to create tensor with negative dimension {min(size)}: {name}: elements of "
            f"output_size must be greater than or equal to 0 but received {list(size)}"
        )
    refuse_overflow((*x.shape[: x.ndim - nd], *size), name)
    needed = have if "avg" in name and nd < 3 else x.shape[1:]
    if 0 in needed and not ("avg" in name and all(s == 1 for s in size)):
        raise refusal.runtime(
            f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
            f"has sizes {list(x.shape)}"
        )
    return size


def _of_nothing(x: Any, size: tuple[int, ...]) -> Any:
    """What an adaptive pooling gives where there are no elements, with its history."""
    nd = len(size)
    rest = P.reduce_sum(x, axis=tuple(range(x.ndim - nd, x.ndim)), keepdims=True)
    return P.broadcast_to(rest, shape=(*x.shape[: x.ndim - nd], *size))


@in_dims(1, 2, 3, namespace="nn.functional", out=False, autocast={3: "float32"})
def adaptive_max_pool(nd: int) -> Any:
    name = f"adaptive_max_pool{nd}d"
    node = "SqueezeBackward1" if nd == 1 else f"AdaptiveMaxPool{nd}DBackward0"

    def pool(input: Tensor, output_size: Ints, return_indices: bool = False) -> Any:
        """The largest element of each of output_size regions."""
        size = _adaptive_size(input, output_size, nd, name)
        if 0 in (*input.shape, *size):
            out = _of_nothing(input, size)
            return (out, P.cast(out.detach(), dtype=np.dtype("int64"))) if return_indices else out
        index = P.adaptive_max_index(input.detach(), out=size)
        out = named(P.take_positions(input, index, nd=nd), node, flat=True)
        return (out, index) if return_indices else out

    return pool


# ---- maxima of randomly placed windows -----------------------------------------------------------


def _each(value: Any, nd: int, name: str, what: str) -> tuple[int, ...]:
    """A number for all dimensions, or one for each: no shorter tuple."""
    if not isinstance(value, int) and len(value) != nd:
        raise refusal.runtime(
            f"{name}: {what} must either be a single Int or a tuple of {nd} Ints, got {value!r}"
        )
    return _ints(value, nd, name, what)


def _fractional(
    x: Any, kernel_size: Any, output_size: Any, output_ratio: Any, return_indices: bool,
    samples: Any, nd: int,
) -> Any:  # fmt: skip
    name = f"fractional_max_pool{nd}d"
    if output_size is None and output_ratio is None:
        raise refusal.value(f"{name} requires specifying either an output_size or an output_ratio")
    spatial = tuple(x.shape[x.ndim - nd :])
    kernel = _each(kernel_size, nd, name, "kernel_size")
    if output_size is None:
        ratios = output_ratio if isinstance(output_ratio, tuple | list) else (output_ratio,) * nd
        if len(ratios) != nd:
            raise refusal.value(
                f"{name} requires output_ratio to either be a single Int or tuple of Ints. It is "
                f"{output_ratio!r}: one ratio for each of {nd} dimensions"
            )
        output_size = tuple(int(n * r) for n, r in zip(spatial, ratios, strict=True))
    out = _each(output_size, nd, name, "output_size")
    sides = ("time", "height", "width")[3 - nd :]
    for side, o, k, n in zip(sides, out, kernel, spatial, strict=True):
        if o + k - 1 > n:
            raise refusal.runtime(
                f"{name}(): pool {side} {k} too large relative to input {side} {n} for an output "
                f"of {o}"
            )
    lead = tuple(x.shape[: x.ndim - nd])
    planes = lead if len(lead) == 2 else (1, *lead)
    if samples is None:
        samples = x.detach().new_empty((*planes, nd)).uniform_(0, 1)
    elif samples.ndim == 3:
        samples = samples[: planes[0]]  # those of the examples that there are
    if tuple(samples.shape) != (*planes, nd):
        raise refusal.runtime(
            f"Expect _random_samples to have the shape {[*planes, nd]} (batch, channels, "
            f"dimensions), but it is {list(samples.shape)}",
            f"{name}",
        )
    index = P.fractional_index(x.detach(), samples.detach(), kernel=kernel, out=out)
    taken = P.take_positions(x, index, nd=nd)
    values = named(taken, f"FractionalMaxPool{nd}DBackward0", flat=True)
    return (values, index) if return_indices else values


@in_dims(2, 3, namespace="nn.functional", out=False, autocast="float32")
def fractional_max_pool(nd: int) -> Any:
    def pool(
        input: Tensor, kernel_size: Ints, output_size: Ints | None = None,
        output_ratio: float | Sequence[float] | None = None, return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:  # fmt: skip
        """The largest elements of windows placed at random, uneven steps."""
        return _fractional(
            input, kernel_size, output_size, output_ratio, return_indices, _random_samples, nd
        )

    return pool


# ---- values and positions ------------------------------------------------------------------------


def _declare_with_indices() -> None:
    """`max_pool2d_with_indices` and its siblings: always (values, positions)."""
    for pool in (*max_pool, *adaptive_max_pool, *fractional_max_pool):

        def call(input: Tensor, *args: Any, pool: Any = pool, **kwargs: Any) -> tuple[Tensor, ...]:
            kwargs["return_indices"] = True
            return pool(input, *args, **kwargs)

        call.__doc__ = "The largest elements, and their positions."
        name = pool.__name__ + "_with_indices"
        call.__name__ = call.__qualname__ = name
        public(name, namespace="nn.functional", out=False)(call)
        if pool is adaptive_max_pool[0]:  # the package's own name gives both
            public("adaptive_max_pool1d", method=False, out=False)(call)


_declare_with_indices()


# ---- undoing maxima ------------------------------------------------------------------------------


def _unpooled_size(
    x: Any, nd: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any, name: str
) -> tuple[int, ...]:
    kernel = _ints(kernel_size, nd, name, "kernel_size")
    steps = kernel if stride is None else _ints(stride, nd, name, "stride")
    pads = _ints(padding, nd, name, "padding")
    default = tuple(
        (n - 1) * s - 2 * p + k
        for n, s, p, k in zip(x.shape[x.ndim - nd :], steps, pads, kernel, strict=True)
    )
    if output_size is None:
        return default
    size = tuple(output_size)[-nd:]
    if len(size) != nd:
        raise refusal.value(
            f"output_size should be a sequence containing {nd} or {nd + 2} elements, but it has a "
            f"length of '{len(output_size)}'"
        )
    for d, (n, m, s) in enumerate(zip(size, default, steps, strict=True)):
        if not m - s < n < m + s:
            raise refusal.value(
                f'invalid output_size "{size}" (dim {d} must be between {m - s} and {m + s})'
            )
    return size


def _unpool(
    x: Any, indices: Any, nd: int, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Any:
    name = f"max_unpool{nd}d"
    if indices.dtype.name != "int64":
        raise refusal.runtime(
            f"elements in indices should be type int64 but got: {indices.dtype!r}"
        )
    if tuple(indices.shape) != tuple(x.shape):
        raise refusal.runtime(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) "
            f"but got indices tensor with shape: {list(indices.shape)}"
        )
    size = _unpooled_size(x, nd, kernel_size, stride, padding, output_size, name)
    places = bottom(indices)
    if places._level is None and places.numel():
        expect_within(places, 0, math.prod(size) - 1)
        worst = places._a.max()
        if worst >= math.prod(size) or places._a.min() < 0:
            raise refusal.runtime(
                f"Found an invalid max index: {int(worst)} (output volumes are of size "
                f"{'x'.join(map(str, size))})",
                fix="pass output_size= the size before pooling.",
            )
    return getattr(P, name)(x, indices, spatial=size, nd=nd, assign=True)


@in_dims(1, 2, 3, namespace="nn.functional", out=False, autocast={2: "float32", 3: "float32"})
def max_unpool(nd: int) -> Any:
    def unpool(
        input: Tensor, indices: Tensor, kernel_size: Ints, stride: Ints | None = None,
        padding: Ints | str = 0, output_size: Ints | None = None,
    ) -> Tensor:  # fmt: skip
        """Zeros with the pooled values at the positions they came from."""
        return _unpool(input, indices, nd, kernel_size, stride, padding, output_size)

    return unpool


# ---- means ---------------------------------------------------------------------------------------


def window_mean(x: Any, kernel: tuple[int, ...]) -> Any:
    """The mean of every window of the last dimensions, one step apart."""
    nd = len(kernel)
    return getattr(P, f"avg_pool{nd}d")(
        x, kernel=kernel, stride=(1,) * nd, padding=(0,) * nd, ceil=False, include_pad=True,
        divisor=0,
    )  # fmt: skip


def _avg_pool(
    x: Any, nd: int, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    count_include_pad: bool, divisor_override: Any,
) -> Any:  # fmt: skip
    name = f"avg_pool{nd}d"
    if divisor_override == 0 and divisor_override is not None:
        raise refusal.runtime("divisor must be not zero", f"{name}")
    w = _windows(x, nd, name, kernel_size, stride, padding, 1, ceil_mode)
    del w["dilation"]
    if nd == 3 and any(n < k for n, k in zip(x.shape[-3:], w["kernel"], strict=True)):
        raise refusal.runtime(
            f"input image {list(x.shape[-3:])} smaller than kernel size {list(w['kernel'])}",
            f"{name}",
        )
    return getattr(P, name)(
        x, **w, include_pad=bool(count_include_pad), divisor=divisor_override or 0
    )


@public(namespace="nn.functional", out=False, aliases=(".avg_pool1d",))
def avg_pool1d(
    input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0,
    ceil_mode: bool = False, count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of each window."""
    return _avg_pool(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


@in_dims(2, 3, namespace="nn.functional", autocast={3: "float32"})
def avg_pool(nd: int) -> Any:
    def pool(
        input: Tensor, kernel_size: Ints, stride: Ints | None = None, padding: Ints | str = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:  # fmt: skip
        """The mean of each window."""
        return _avg_pool(
            input, nd, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        )

    return pool


def adaptive_average(x: Any, output_size: Any, nd: int) -> Any:
    """The mean of each of output_size nearly equal regions."""
    name = f"adaptive_avg_pool{nd}d"
    size = _adaptive_size(x, output_size, nd, name)
    spatial = tuple(x.shape[x.ndim - nd :])
    if all(s == 1 for s in size) and (nd > 1 or not spatial[0]):
        return named(x.mean(tuple(range(-nd, 0)), keepdim=True), "MeanBackward1")
    node = "SqueezeBackward1" if nd == 1 else f"AdaptiveAvgPool{nd}DBackward0"
    if 0 in (*x.shape, *size):
        return named(_of_nothing(x, size).to(x.dtype), node, flat=True)
    if x.dtype.category != FLOAT and not (x.dtype.is_complex and size == (1,)):  # that is the mean
        refuse(name, x)
    if all(s and n % s == 0 for n, s in zip(spatial, size, strict=True)):
        steps = tuple(n // s for n, s in zip(spatial, size, strict=True))
        pooled = getattr(P, f"avg_pool{nd}d")(
            x, kernel=steps, stride=steps, padding=(0,) * nd, ceil=False, include_pad=True,
            divisor=0,
        )  # fmt: skip
        return named(pooled, node)
    plans = tuple(("area", n, s) for n, s in zip(spatial, size, strict=True))
    return named(P.resample(x, plans=plans), node, flat=True)


@public(namespace="nn.functional", out=False, aliases=(".adaptive_avg_pool1d",))
def adaptive_avg_pool1d(input: Tensor, output_size: Ints) -> Tensor:
    """The mean of each of output_size regions."""
    return adaptive_average(input, output_size, 1)


@public(namespace="nn.functional", out=False)
def adaptive_avg_pool2d(input: Tensor, output_size: Ints) -> Tensor:
    """The mean of each of output_size regions."""
    return adaptive_average(input, output_size, 2)


@public(namespace="nn.functional", out=False, autocast="float32")
def adaptive_avg_pool3d(input: Tensor, output_size: Ints) -> Tensor:
    """The mean of each of output_size regions."""
    return adaptive_average(input, output_size, 3)


# ---- power means ---------------------------------------------------------------------------------


@in_dims(1, 2, 3, namespace="nn.functional", out=False)
def lp_pool(nd: int) -> Any:
    def pool(
        input: Tensor,
        norm_type: float,
        kernel_size: Ints,
        stride: Ints | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:
        """The p-norm of each window."""
        kernel = _ints(kernel_size, nd, f"lp_pool{nd}d", "kernel_size")
        mean = _avg_pool(input**norm_type, nd, kernel, stride, 0, ceil_mode, True, None)
        return (mean.sign() * P.relu(mean.abs()) * math.prod(kernel)) ** (1.0 / norm_type)

    return pool
