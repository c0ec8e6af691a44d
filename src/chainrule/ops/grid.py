"""An image's values at points: grid_sample by the nearest element or between neighbours.

Each axis has its taps: (element number, weight, slope of the weight with respect to the grid). A
neighbour is one tap of every axis, weighs the product of their weights, and counts as 0 outside of
the image. Arrays of floats go through machine code; the same in ops is what it is tested against.
"""

from __future__ import annotations

import math

import numpy as np

from .batching import Plain
from .kernels import fast
from .schema import helper, op
from .worlds import ARRAYS

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}
_NUMBER = np.dtype(np.int64)
_SHARED = 1 << 14  # elements of results from which threads share them


def _three(x, grid):
    """Image and points with their spatial dimensions as one."""
    images, channels = x.shape[:2]
    flat = np.ascontiguousarray(x).reshape(images, channels, math.prod(x.shape[2:]))
    points = math.prod(grid.shape[1:-1])
    return flat, np.ascontiguousarray(grid).reshape(images, points, grid.shape[-1])


def _numbers(x, mode, padding, align):
    """Width, height, depth, and what else the kernels ask for."""
    w, h, *depth = x.shape[:1:-1]
    return w, h, depth[0] if depth else 1, int(mode == "nearest"), _PADDINGS[padding], int(align)


def grid_gradients(g, mask, x, grid, mode, padding, align):
    """The gradients of grid_points, for arrays."""
    flat = np.ascontiguousarray(g).reshape(*g.shape[:2], math.prod(g.shape[2:]))
    numbers = _numbers(x, mode, padding, align)
    image, points = _three(x, grid)
    done = fast.points_of_image_gradient(flat, image, points, *numbers, len(x), mask[0], mask[1])
    if done is None:
        rule = ARRAYS.function("grid_gradients_in_ops")
        return rule(g, mask, x, grid, mode, padding, align)
    gx, ggrid = done
    return (
        None if gx is None else gx.reshape(x.shape),
        None if ggrid is None else ggrid.reshape(grid.shape),
    )


def _array_rule(gradients):
    """The rule on arrays; `gradients` comes through a closure, as it speaks NumPy."""

    def joint(g, mask, x, grid, mode, padding, align):
        return gradients(g, mask, x, grid, mode, padding, align)

    return joint


@op(
    joint=_array_rule(grid_gradients),
    plain_joint=lambda g, mask, x, grid, mode, padding, align: grid_gradients_in_ops(
        g, mask, x, grid, mode, padding, align
    ),
    jvp={
        "x": lambda t, grid, mode, padding, align: grid_points(
            t, grid, mode=mode, padding=padding, align=align
        ),
        "grid": lambda t, x, grid, mode, padding, align: grid_tangent(
            t, x, grid, mode, padding, align
        ),
    },
    batch=Plain(
        lambda x, grid, *, mode, padding, align: grid_in_ops(x, grid, mode, padding, align)
    ),
    halves="single",
    types=lambda x, grid, **rest: [((*x.shape[:2], *grid.shape[1:-1]), x.dtype)],
)
def grid_points(x, grid, *, mode, padding, align):
    """x (images, channels, ...) at points -1..1 whose last coordinate names the first dimension."""
    turns = 1 if x.shape[1] * math.prod(grid.shape[:-1]) < _SHARED else 16
    done = fast.points_of_image(*_three(x, grid), *_numbers(x, mode, padding, align), turns)
    if done is not None:
        return done.reshape(*x.shape[:2], *grid.shape[1:-1])
    return ARRAYS.function("grid_in_ops")(x, grid, mode, padding, align)


# ---- in ops --------------------------------------------------------------------------------------


@helper
def grid_in_image(x, slope, n, padding, align):
    """(element number moved into the image, its slope); at the border without slope."""
    if padding != "zeros":
        slope = zeroed(x) + slope
    if padding == "reflection":
        low, span = (0.0, n - 1) if align else (-0.5, n)
        if span == 0:
            x, slope = x * 0, zeroed(x)
        else:
            away = where(x < low, low - x, x - low)
            flips = floor(away / span)
            rest = away - flips * span
            even = flips - floor(flips / 2) * 2 == 0
            slope = where(x == low, 0.0, where((x < low) == even, -slope, slope))
            x = where(even, rest + low, span - rest + low)
    if padding != "zeros":
        slope = where(x > 0, where(x < n - 1, slope, 0.0), 0.0)
        x = hardtanh(where(x == x, x, 0.0), low=0, high=n - 1)  # NaN counts as the border
    return x, slope


@helper
def grid_taps(x, n, mode, padding, align):
    """The taps of an axis, for coordinates -1..1."""
    at = (x + 1) * (0.5 * (n - 1)) if align else ((x + 1) * n - 1) * 0.5
    at, slope = grid_in_image(at, 0.5 * (n - 1) if align else 0.5 * n, n, padding, align)
    if mode == "nearest":
        return [(round(at, decimals=0), None, None)]  # pyright: ignore - the op of that name
    low = floor(at)
    part = at - low
    return [(low, 1 - part, slope * -1.0), (low + 1, part, slope * 1.0)]


@helper
def grid_corners(x, grid, mode, padding, align, whole=_NUMBER):
    """(images as rows, for each neighbour (its taps, whether it is inside, its element number))."""
    spatial = tuple(x.shape[2:])
    nd, points = len(spatial), 1
    for n in grid.shape[1:-1]:
        points *= n
    size = 1
    for n in spatial:
        size *= n
    flat = reshape(grid, shape=(grid.shape[0], points, nd))
    taps = [
        grid_taps(select_view(flat, index=(slice(None), slice(None), nd - 1 - k)), n, mode,
                  padding, align)
        for k, n in enumerate(spatial)
    ]  # fmt: skip
    corners = []
    for number in range(len(taps[0]) ** nd):
        chosen = [taps[k][number >> (nd - 1 - k) & 1] for k in range(nd)]
        position, inside = 0, None
        for (place, _, _), n in zip(chosen, spatial, strict=True):
            fits = (place >= 0) & (place <= n - 1)
            position = position * n + where(fits, place, 0.0)
            inside = fits if inside is None else inside & fits
        corners.append((chosen, inside, cast(position, dtype=whole)))
    return reshape(x, shape=(*x.shape[:2], size)), corners


@helper
def grid_neighbours(values, inside, position):
    """What the images have at a neighbour, 0 outside."""
    shape = (*values.shape[:2], position.shape[1])
    index = broadcast_to(unsqueeze(position, axis=1), shape=shape)
    found = take_positions(values, index, nd=1)
    return where(unsqueeze(inside, axis=1), found, 0.0)


@helper
def grid_weight(chosen, besides):
    """The product of the weights of taps but one; None where it is 1."""
    weight = None
    for k, (_, part, _) in enumerate(chosen):
        if part is not None and k != besides:
            weight = part if weight is None else weight * part
    return weight


@helper
def grid_in_ops(x, grid, mode, padding, align):
    """grid_points written in ops."""
    values, corners = grid_corners(x, grid, mode, padding, align)
    total = None
    for chosen, inside, position in corners:
        part = grid_neighbours(values, inside, position)
        weight = grid_weight(chosen, -1)
        part = part if weight is None else part * unsqueeze(weight, axis=1)
        total = part if total is None else total + part
    return reshape(total, shape=(*x.shape[:2], *grid.shape[1:-1]))


@helper
def grid_gradients_in_ops(g, mask, x, grid, mode, padding, align):
    """grid_gradients written in ops."""
    values, corners = grid_corners(x, grid, mode, padding, align)
    nd, size = grid.shape[-1], values.shape[2]
    g = reshape(g, shape=(*x.shape[:2], corners[0][2].shape[1]))
    gx, slopes = None, [None] * nd
    for chosen, inside, position in corners:
        weight = grid_weight(chosen, -1)
        if mask[0]:
            part = g if weight is None else g * unsqueeze(weight, axis=1)
            part = where(unsqueeze(inside, axis=1), part, 0.0)
            index = broadcast_to(unsqueeze(position, axis=1), shape=tuple(g.shape))
            part = put_positions(part, index, spatial=(size,), nd=1, assign=False)
            gx = part if gx is None else gx + part
        if mask[1] and weight is not None:
            found = grid_neighbours(values, inside, position)
            dot = reduce_sum(g * found, axis=(1,), keepdims=False)
            for k in range(nd):
                part = dot * chosen[k][2] * grid_weight(chosen, k)
                slopes[k] = part if slopes[k] is None else slopes[k] + part
    ggrid = None
    if mask[1]:
        lines = [reshape(grid, shape=(grid.shape[0], g.shape[2], nd))] if slopes[0] is None else []
        ggrid = zeroed(lines[0]) if lines else stack(*reversed(slopes), axis=2)
        ggrid = reshape(ggrid, shape=tuple(grid.shape))
    return None if gx is None else reshape(gx, shape=tuple(x.shape)), ggrid


@helper
def grid_tangent(t, x, grid, mode, padding, align):
    """How the result changes when the points move by t."""
    values, corners = grid_corners(x, grid, mode, padding, align)
    nd, points = grid.shape[-1], corners[0][2].shape[1]
    t = reshape(t, shape=(grid.shape[0], points, nd))
    total = zeroed(broadcast_to(unsqueeze(select_view(
        t, index=(slice(None), slice(None), 0)), axis=1),
        shape=(*x.shape[:2], points)))  # fmt: skip
    for chosen, inside, position in corners:
        found = grid_neighbours(values, inside, position)
        for k in range(nd):
            if chosen[k][2] is not None:
                way = select_view(t, index=(slice(None), slice(None), nd - 1 - k))
                share = way * chosen[k][2] * grid_weight(chosen, k)
                total = total + found * unsqueeze(share, axis=1)
    return reshape(total, shape=(*x.shape[:2], *grid.shape[1:-1]))
