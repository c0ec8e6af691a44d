"""nn.functional: padding, resizing, sampling and rearranging images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal, source
from ...autograd.value import make
from ...ops import dtypes
from ..api import public
from ..scalars import number_for
from .common import P
from .nn_common import lying_as, named, whole_numbers

if TYPE_CHECKING:
    from ..annotations import Ints, Number, Tensor

# ---- padding -------------------------------------------------------------------------------------

_PAD_NODES = {"reflect": "ReflectionPad", "replicate": "ReplicationPad"}


@public(namespace="nn.functional", out=False, autocast="mirrored")
def pad(input: Tensor, pad: Ints, mode: str = "constant", value: float | None = None) -> Tensor:
    """The last dimensions grown by (before, after) pairs, the last dimension's pair first.

    >>> import chainrule as torch
    >>> torch.nn.functional.pad(torch.tensor([1., 2.]), (1, 2))
    tensor([0., 1., 2., 0., 0.])
    """
    amounts = whole_numbers(pad, "pad")
    if len(amounts) % 2:
        raise refusal.runtime("Padding length must be divisible by 2")
    if len(amounts) // 2 > input.ndim:
        raise refusal.runtime(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(amounts)} and input of dimension {input.ndim}"
        )
    pairs = tuple(zip(amounts[::2], amounts[1::2], strict=True))[::-1]
    if mode == "constant":
        _check_padded(input, pairs)
        value = 0 if value is None else float(value) if value.__class__ is int else value
        value = number_for(value, input.dtype)
        return P.constant_pad(input, pads=pairs, value=value)
    if value is not None and value != 0:
        raise refusal.value(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise refusal.not_implemented(f"Unrecognised padding mode {mode}")
    return _pad_by_copy(input, pairs, mode)


def _check_padded(x: Any, pairs: Any) -> None:
    lead = x.ndim - len(pairs)
    for k, (before, after) in enumerate(pairs):
        n = x.shape[lead + k]
        if n + before + after < 0 or -before > n or -after > n:
            raise refusal.runtime(
                f"The input size {n}, plus negative padding {before} and {after} resulted in a "
                f"negative output size, which is invalid. Check dimension {lead + k} of your input."
            )


def _pad_by_copy(x: Any, pairs: Any, mode: str) -> Any:
    nd = len(pairs)
    if nd > 3 or x.ndim not in (nd + 1, nd + 2):
        raise refusal.not_implemented(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now; got an "
            f"input of {x.ndim} dimensions and {2 * nd} padding values"
        )
    plans = []
    for k, (before, after) in enumerate(pairs):
        n = x.shape[x.ndim - nd + k]
        kept = n + min(0, before) + min(0, after)
        limit = kept if mode == "circular" else n - 1
        if kept < 0 if mode == "circular" else n and n + before + after < 1:
            raise refusal.runtime(
                f"input (length {n} in dimension {x.ndim - nd + k}) is too small: padding "
                f"({before}, {after}) leaves nothing of it",
                f"pad(mode={mode!r})",
            )
        if mode != "replicate" and max(before, after) > limit:
            raise RuntimeError(
                ("Padding value causes wrapping around more than once"
                 if mode == "circular" else
                 "Argument #4: Padding size should be less than the corresponding input "
                 f"dimension, but got: padding ({before}, {after}) at dimension "
                 f"{x.ndim - nd + k} of input {list(x.shape)}")
                + f"\n  pad(mode={mode!r}) at {source.here()}"
            )  # fmt: skip
        plans.append((mode, n, before, after) if before or after else None)
    if all(p is None for p in plans):
        plans[0] = (mode, x.shape[x.ndim - nd], 0, 0)  # a copy with a node of its own
    out = P.resample(x, plans=tuple(plans))
    if mode not in _PAD_NODES:
        return named(out, "CopySlices")
    return named(out, f"{_PAD_NODES[mode]}{nd}DBackward0", flat=True)


@public(out=False, method=False)
def constant_pad_nd(input: Tensor, pad: Ints, value: Number = 0) -> Tensor:
    """pad with a constant."""
    return globals()["pad"](input, pad, "constant", value)


# ---- resizing ------------------------------------------------------------------------------------

_DIMS = {"linear": 1, "bilinear": 2, "bicubic": 2, "lanczos": 2, "trilinear": 3}
_NODES = {
    "linear": "UpsampleLinear1D", "bilinear": "UpsampleBilinear2D",
    "bicubic": "UpsampleBicubic2D", "lanczos": "UpsampleLanczos2D",
    "trilinear": "UpsampleTrilinear3D",
}  # fmt: skip


@public(namespace="nn.functional", out=False)
def interpolate(
    input: Tensor,
    size: Ints | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """The spatial dimensions resized to `size`, or by `scale_factor`."""
    nd = input.ndim - 2
    _check_mode(input, mode, align_corners, antialias, nd)
    sizes, scales = _target_size(input, size, scale_factor, recompute_scale_factor, nd)
    spatial = tuple(input.shape[2:])
    if input.dtype is dtypes.uint8 and mode in _DIMS and nd != 2:
        smooth = interpolate(input.to(dtypes.float32), sizes, None, mode, align_corners, None,
                             antialias)  # fmt: skip
        return smooth.round().clamp(0, 255).to(dtypes.uint8)
    if mode == "area":
        from .nn_pool import adaptive_average

        return adaptive_average(input, sizes, nd)
    kind = {"bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    if mode in ("nearest", "nearest-exact"):
        plans = tuple((kind, *part) for part in zip(spatial, sizes, scales, strict=True))
        node = f"Upsample{'NearestExact' if mode == 'nearest-exact' else 'Nearest'}{nd}D"
    else:
        kind = f"smooth-{kind}" if antialias else kind
        plans = tuple(
            (kind, n, o, bool(align_corners), s)
            for n, o, s in zip(spatial, sizes, scales, strict=True)
        )
        node = _NODES[mode] + ("Aa" if antialias else "")
    if input.dtype is dtypes.uint8 and mode in _DIMS:
        return P.resample_bytes(input, plans=plans)
    return named(P.resample(input, plans=plans), node + "Backward0")


def _check_mode(x: Any, mode: str, align_corners: Any, antialias: bool, nd: int) -> None:
    if mode not in ("nearest", "nearest-exact", "area", *_DIMS):
        raise refusal.not_implemented(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {x.ndim}D) for the "
            "modes: nearest | linear | bilinear | bicubic | trilinear | lanczos | area | "
            f"nearest-exact (got {mode})"
        )
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise refusal.value(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            f"| bicubic | trilinear, not with {mode}"
        )
    if nd not in (1, 2, 3) or _DIMS.get(mode, nd) != nd:
        raise refusal.not_implemented(
            f"Got {x.ndim}D input, but {mode} mode needs {_DIMS.get(mode, 1) + 2}D input: (batch, "
            "channels, ...)"
        )
    if antialias and mode not in ("bilinear", "bicubic", "lanczos"):
        raise refusal.value(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            "a 4-D tensor as input"
        )
    if mode == "lanczos" and (align_corners or not antialias):
        wanted = "does not support align_corners=True" if antialias else "requires antialias=True"
        raise refusal.value(f"Lanczos mode {wanted}")


def _target_size(x: Any, size: Any, factor: Any, recompute: Any, nd: int) -> tuple[Any, Any]:
    """(output sizes, per dimension input over output size as given, or None)."""
    if (size is None) == (factor is None):
        which = "either size or scale_factor should be defined" if size is None else (
            "only one of size or scale_factor should be defined")  # fmt: skip
        raise refusal.value(f"{which}")
    spatial = x.shape[2:]
    if size is not None:
        if recompute:
            raise refusal.value(
                "recompute_scale_factor is not meaningful when size is explicitly specified."
            )
        sizes = _per_dimension(size, nd, "size")
        _check_positive(x, sizes)
        return tuple(int(s) for s in sizes), (None,) * nd
    factors = _per_dimension(factor, nd, "scale_factor")
    sizes = tuple(math.floor(float(n) * f) for n, f in zip(spatial, factors, strict=True))
    _check_positive(x, sizes)
    return sizes, (None,) * nd if recompute else tuple(1.0 / float(f) for f in factors)


def _per_dimension(value: Any, nd: int, name: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple | list):
        return (value,) * nd
    if len(value) != nd:
        raise refusal.value(
            "Input and output must have the same number of spatial dimensions, but got input with "
            f"{nd} spatial dimensions and {name}={list(value)}"
        )
    return tuple(value)


def _check_positive(x: Any, sizes: Any) -> None:
    if any(s <= 0 for s in sizes) or any(n <= 0 for n in x.shape[2:]):
        raise refusal.runtime(
            f"Input and output sizes should be greater than 0, but got input {list(x.shape[2:])} "
            f"and output {list(sizes)}"
        )


@public(namespace="nn.functional", out=False)
def upsample(
    input: Tensor, size: Ints | None = None, scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest", align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """interpolate, by its old name."""
    source.warn_user(
        "`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, mode, align_corners)


@public(namespace="nn.functional", out=False)
def upsample_nearest(
    input: Tensor, size: Ints | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """interpolate(mode="nearest"), by its old name."""
    source.warn_user(
        "`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, mode="nearest")


@public(namespace="nn.functional", out=False)
def upsample_bilinear(
    input: Tensor, size: Ints | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """interpolate(mode="bilinear", align_corners=True), by its old name."""
    source.warn_user(
        "`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.",
    )
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# ---- rearranging ---------------------------------------------------------------------------------


@public(namespace="nn.functional", out=False, aliases=(".pixel_shuffle",))
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C * r * r, H, W) as (*, C, H * r, W * r)."""
    r = upscale_factor
    if input.ndim < 3 or r <= 0 or input.shape[-3] % (r * r):
        raise refusal.runtime(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but got input of shape {list(input.shape)} and upscale_factor={r}"
        )
    *lead, c, h, w = input.shape
    k = len(lead)
    parts = input.reshape(*lead, c // (r * r), r, r, h, w)
    order = (*range(k), k, k + 3, k + 1, k + 4, k + 2)
    out = parts.permute(order).reshape(*lead, c // (r * r), h * r, w * r)
    return named(_own_memory(out, input), "PixelShuffleBackward0")


@public(namespace="nn.functional", out=False, aliases=(".pixel_unshuffle",))
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H * r, W * r) as (*, C * r * r, H, W)."""
    r = downscale_factor
    if input.ndim < 3 or r <= 0 or input.shape[-1] % r or input.shape[-2] % r:
        raise refusal.runtime(
            "pixel_unshuffle expects height and width to be divisible by downscale_factor, but got "
            f"input of shape {list(input.shape)} and downscale_factor={r}"
        )
    *lead, c, h, w = input.shape
    k = len(lead)
    parts = input.reshape(*lead, c, h // r, r, w // r, r)
    order = (*range(k), k, k + 2, k + 4, k + 1, k + 3)
    out = parts.permute(order).reshape(*lead, c * r * r, h // r, w // r)
    return named(_own_memory(out, input), "PixelUnshuffleBackward0")


def _own_memory(out: Any, input: Any) -> Any:
    """A rearranged image: a copy, with channels last in memory if the input has them last."""
    out = lying_as(out, input) if input.ndim == 4 else out
    return P.clone_contiguous(out) if out._is_view() else out


@public(
    namespace="nn.functional", out=False,
    aliases=(".channel_shuffle", "nn.functional.native_channel_shuffle"),
)  # fmt: skip
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of `groups` groups dealt out in turns."""
    if input.ndim < 3 or groups <= 0 or input.shape[1] % groups:
        raise refusal.runtime(
            "Number of channels must be divisible by groups: channel_shuffle expects a tensor of "
            f"at least 3 dimensions, got {list(input.shape)} and groups={groups}"
        )
    n, c, *rest = input.shape
    parts = input.reshape(n, groups, c // groups, *rest)
    out = parts.transpose(1, 2).reshape(n, c, *rest)
    return named(_own_memory(out, input), "ChannelShuffleBackward0")


# ---- sampling ------------------------------------------------------------------------------------


@public(namespace="nn.functional", out=False)
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Where an affine map takes the points of an image of `size`, as a grid for grid_sample."""
    if align_corners is None:
        _warn_alignment("affine_grid")
        align_corners = False
    nd = len(size) - 2
    if nd not in (2, 3) or tuple(theta.shape[1:]) != (nd, nd + 1) or theta.ndim != 3:
        raise refusal.value(
            f"Expected a batch of {nd}D affine matrices of shape Nx{nd}x{nd + 1} for size "
            f"{list(size)}. Got {list(theta.shape)}."
        )
    if any(s <= 0 for s in size):
        raise ValueError(f"Expected non-zero, positive output size. Got {list(size)}")
    axes = [_unit_points(n, align_corners) for n in size[2:]]
    mesh = np.meshgrid(*axes, indexing="ij")[::-1]  # x comes first
    points = np.stack([*mesh, np.ones(tuple(size[2:]))], -1).reshape(1, -1, nd + 1)
    base = make(points.astype(theta.dtype.np))
    grid = base.matmul(theta.transpose(1, 2)).view(size[0], *size[2:], nd)
    return named(grid, "AffineGridGeneratorBackward0")


def _unit_points(n: int, align: bool) -> Any:
    """The points of n cells (or corners) between -1 and 1."""
    if n <= 1:
        return np.zeros(n)
    points = np.linspace(-1, 1, n)
    return points if align else points * (n - 1) / n


def _warn_alignment(name: str) -> None:
    source.warn_user(
        f"Default {name} behavior has changed to align_corners=False since 1.3.0. Please specify "
        f"align_corners=True if the old behavior is desired.",
    )
