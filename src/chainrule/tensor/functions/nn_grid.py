"""nn.functional.grid_sample: an image's values at arbitrary points."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ..api import public
from .common import P
from .nn_common import named
from .nn_vision import _warn_alignment

if TYPE_CHECKING:
    from ..annotations import Tensor


@public(namespace="nn.functional", out=False, autocast="float32")
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """The input's values at the points of `grid`, whose coordinates run from -1 to 1."""
    nd = input.ndim - 2
    _check(input, grid, mode, padding_mode, nd)
    if align_corners is None:
        _warn_alignment("grid_sample and affine_grid")
        align_corners = False
    if mode == "bicubic":
        out = _bicubic(input, grid, padding_mode, align_corners)
    else:
        out = P.grid_points(input, grid, mode=mode, padding=padding_mode, align=bool(align_corners))
    return named(out, f"GridSampler{nd}DBackward0")


def _bicubic(input: Any, grid: Any, padding_mode: str, align_corners: bool) -> Any:
    """Between sixteen neighbours of an image."""
    spatial = tuple(input.shape[2:])
    points = tuple(grid.shape[1:-1])
    flat = grid.reshape(grid.shape[0], math.prod(points), 2)
    # The grid names the last dimension first.
    coordinates = [_pixels(flat[:, :, 1 - k], spatial[k], align_corners) for k in range(2)]
    per_axis = [
        _cubic(x, n, padding_mode, align_corners) for x, n in zip(coordinates, spatial, strict=True)
    ]
    values = input.reshape(*input.shape[:2], math.prod(spatial))
    found = _gathered(values, per_axis, spatial)
    return P.unsafe_view(found, shape=(*input.shape[:2], *points))


@public(out=False, method=False)
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """grid_sample of images, with its modes as numbers."""
    return grid_sample(
        input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners
    )


@public(out=False, method=False)
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """grid_sample of volumes, with its modes as numbers."""
    return grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners)


def _check(x: Any, grid: Any, mode: str, padding_mode: str, nd: int) -> None:
    if mode not in _MODES:
        raise refusal.value(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise refusal.value(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    if grid.shape[-1] != nd:
        raise refusal.runtime(
            f"grid_sampler(): expected grid to have size {nd} in last dimension, but got grid with "
            f"sizes {list(grid.shape)}"
        )
    if nd not in (2, 3) or grid.ndim != nd + 2:
        raise refusal.runtime(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but "
            f"got input with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
        )
    if mode == "bicubic" and nd != 2:
        raise refusal.runtime("grid_sampler(): bicubic interpolation only supports 4D input")
    if x.shape[0] != grid.shape[0]:
        raise refusal.runtime(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
        )
    if 0 in x.shape[2:]:
        raise refusal.runtime(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            f"sizes {list(x.shape)}"
        )
    if x.dtype is not grid.dtype:
        raise refusal.runtime(
            "grid_sampler(): expected input and grid to have same dtype, but input has "
            f"{x.dtype!r} and grid has {grid.dtype!r}"
        )


# ---- coordinates ---------------------------------------------------------------------------------


def _pixels(x: Any, n: int, align: bool) -> Any:
    """-1..1 as an element number."""
    return (x + 1) * (0.5 * (n - 1)) if align else ((x + 1) * n - 1) * 0.5


def _inside(x: Any, n: int, padding: str, align: bool) -> Any:
    """A coordinate moved into the image; at and beyond the border without gradient."""
    if padding == "reflection":
        x = _reflected(x, n, align)
    if padding != "zeros":
        x = P.hardtanh(P.where(P.isnan(x), 0.0, x), low=0, high=n - 1)  # NaN counts as the border
    return x


def _reflected(x: Any, n: int, align: bool) -> Any:
    low, span = (0.0, n - 1) if align else (-0.5, n)
    if span == 0:
        return x * 0
    away = (x - low).abs()
    flips = (away / span).detach().floor()
    rest = away - flips * span
    odd = flips - (flips / 2).floor() * 2
    return P.where(odd == 0, rest + low, span - rest + low)


# ---- taps: (element number, weight) per neighbour ------------------------------------------------


def _cubic(x: Any, n: int, padding: str, align: bool) -> list[tuple[Any, Any]]:
    low = x.detach().floor()
    t = x - low
    found = []
    for k, distance in ((-1, t + 1), (0, t), (1, 1 - t), (2, 2 - t)):
        place = _inside(low + k, n, padding, align)
        weight = _cubic_near(distance) if k in (0, 1) else _cubic_far(distance)
        found.append((place if padding == "zeros" else place.round(), weight))
    return found


def _cubic_near(x: Any) -> Any:
    return ((-0.75 + 2) * x - (-0.75 + 3)) * x * x + 1


def _cubic_far(x: Any) -> Any:
    return ((-0.75 * x + 5 * 0.75) * x - 8 * 0.75) * x + 4 * 0.75


_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _gathered(values: Any, per_axis: list[Any], spatial: tuple[int, ...]) -> Any:
    """The weighted sum of the neighbours; those outside the image count as 0."""
    total: Any = None
    shape = (*values.shape[:2], per_axis[0][0][0].shape[1])
    for combination in itertools.product(*per_axis):
        position: Any = None
        weight: Any = None
        inside: Any = None
        for (place, part), n in zip(combination, spatial, strict=True):
            fits = (place >= 0) & (place <= n - 1)
            number = P.cast(P.where(fits, place, 0.0), dtype=np.dtype(np.int64))
            position = number if position is None else position * n + number
            inside = fits if inside is None else inside & fits
            weight = part if weight is None else weight * part
        index = position.unsqueeze(1).expand(shape)
        picked = P.where(inside.unsqueeze(1), P.take_positions(values, index, nd=1), 0.0)
        picked = picked * weight.unsqueeze(1)
        total = picked if total is None else total + picked
    return total
