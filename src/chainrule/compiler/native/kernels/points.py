"""Images at arbitrary points: grid_sample by the nearest element or between neighbours.

Points are taken in blocks: where the neighbours of each are and how much they weigh is found once
and used for every channel. An image without depth is one of depth 1 whose points are not between
two layers. `exact`, so that coordinates are rounded as NumPy rounds them: which element is near
must not depend on who asks.
"""

from __future__ import annotations

from ..language.words import T, floor, i64, inlined, isnan, maximum, minimum, native, shared, stack

_BLOCK = 64  # points whose weights stay in the first cache
BORDER, REFLECTION = 1, 2


@inlined(exact=True)
def into_image(g, n, padding, align):
    """A coordinate -1..1 as an element number, moved into the image where padding says so."""
    size = T(n)
    x = (g + 1.0) * (0.5 * (size - 1.0)) if align != 0 else ((g + 1.0) * size - 1.0) * 0.5
    if padding == REFLECTION:
        low = T(0.0) if align != 0 else T(-0.5)
        span = size - 1.0 if align != 0 else size
        if span == 0.0:
            x = x * 0.0
        else:
            away = abs(x - low)
            flips = floor(away / span)
            rest = away - flips * span
            odd = flips - floor(flips / 2.0) * 2.0
            x = rest + low if odd == 0.0 else span - rest + low
    if padding != 0:
        x = T(0.0) if isnan(x) else minimum(maximum(x, T(0.0)), size - 1.0)
    return x


@inlined(exact=True)
def slope_into_image(g, n, padding, align):
    """The derivative of into_image."""
    size = T(n)
    slope = 0.5 * (size - 1.0) if align != 0 else 0.5 * size
    x = (g + 1.0) * (0.5 * (size - 1.0)) if align != 0 else ((g + 1.0) * size - 1.0) * 0.5
    if padding == REFLECTION:
        low = T(0.0) if align != 0 else T(-0.5)
        span = size - 1.0 if align != 0 else size
        if span == 0.0:
            slope = T(0.0)
            x = x * 0.0
        else:
            away = abs(x - low)
            flips = floor(away / span)
            rest = away - flips * span
            odd = flips - floor(flips / 2.0) * 2.0
            slope = -slope if x < low else slope
            slope = T(0.0) if x == low else slope
            slope = slope if odd == 0.0 else -slope
            x = rest + low if odd == 0.0 else span - rest + low
    if padding != 0:
        slope = slope if x > 0.0 and x < size - 1.0 else T(0.0)
    return slope


@inlined(exact=True)
def whole(x):
    """The nearest whole number, the even one of two."""
    low = floor(x)
    part = x - low
    odd = low - floor(low / 2.0) * 2.0
    up = part > 0.5 or (part == 0.5 and odd != 0.0)
    return low + 1.0 if up else low


@inlined(apart=True, exact=True)
def find_places(grid, lows, parts, count, nd, w, h, d, nearest, padding, align):
    """For each point and axis the element at or before it, and how far behind it the point is."""
    for k in range(nd):
        n = w if k == 0 else h if k == 1 else d
        low = lows[k * 64 :]
        part = parts[k * 64 :]
        for p in range(count):
            part[p] = grid[p * nd + k]
        for p in range(count):
            x = into_image(part[p], n, padding, align)
            at = whole(x) if nearest != 0 else floor(x)
            low[p] = at
            part[p] = x - at


@inlined(apart=True, exact=True)
def find_corner(lows, parts, weights, places, count, corner, nd, w, h, d, nearest):
    """The weight of each point's neighbour in a corner, and its place; -1 outside of the image."""
    for p in range(count):
        weights[p] = T(1.0)
        places[p] = 0
    for j in range(nd):
        k = nd - 1 - j  # the slowest axis first
        n = w if k == 0 else h if k == 1 else d
        upper = (corner >> k) & 1
        low = lows[k * 64 :]
        part = parts[k * 64 :]
        for p in range(count):
            at = low[p] + T(upper)
            inside = at >= 0.0 and at <= T(n - 1)
            number = i64(at if inside else T(0.0))
            before = places[p]
            places[p] = before * n + number if inside and before >= 0 else -1
            share = part[p] if upper == 1 else 1.0 - part[p]
            weights[p] = weights[p] * (T(1.0) if nearest != 0 else share)


@native(
    "T x[images, channels, size], T grid[images, points, nd], i64 w, i64 h, i64 d, i64 nearest, "
    "i64 padding, i64 align, i64 turns, out T y[images, channels, points]",
    exact=True,
)
def points_of_image(
    x, grid, w, h, d, nearest, padding, align, turns, y, images, channels, size, points, nd
):
    """The image's values at the points."""
    lows = stack("T", 192)
    parts = stack("T", 192)
    weights = stack("T", 512)
    places = stack("i64", 512)
    corners = 1 if nearest != 0 else 1 << nd
    blocks = (points + _BLOCK - 1) // _BLOCK
    if w * h * d != size:
        return False
    for t in shared(turns):
        for b in range(images * blocks * t // turns, images * blocks * (t + 1) // turns):
            image = b // blocks
            first = (b - image * blocks) * _BLOCK
            count = min(_BLOCK, points - first)
            near = grid[(image * points + first) * nd :]
            find_places(near, lows, parts, count, nd, w, h, d, nearest, padding, align)
            for c in range(corners):
                find_corner(
                    lows, parts, weights[c * 64 :], places[c * 64 :], count, c, nd, w, h, d, nearest
                )
            for k in range(channels):
                source = x[(image * channels + k) * size :]
                into = y[(image * channels + k) * points + first :]
                for p in range(count):
                    into[p] = T(0.0)
                for c in range(corners):
                    weight = weights[c * 64 :]
                    place = places[c * 64 :]
                    for p in range(count):
                        v = source[max(place[p], 0)]
                        v = v if place[p] >= 0 else T(0.0)
                        into[p] = into[p] + v * weight[p]


@native(
    "T g[images, channels, points], T x[images, channels, size], T grid[images, points, nd], "
    "i64 w, i64 h, i64 d, i64 nearest, i64 padding, i64 align, i64 turns, "
    "wanted T gx[like x], wanted T ggrid[like grid]",
    exact=True,
)
def points_of_image_gradient(
    g, x, grid, w, h, d, nearest, padding, align, turns, gx, ggrid,
    images, channels, points, size, nd,
):  # fmt: skip
    """The gradients with respect to image and points; an image belongs to one thread."""
    lows = stack("T", 192)
    parts = stack("T", 192)
    weights = stack("T", 512)
    places = stack("i64", 512)
    dots = stack("T", 512)
    room = stack("T", 128)
    corners = 1 if nearest != 0 else 1 << nd
    blocks = (points + _BLOCK - 1) // _BLOCK
    if w * h * d != size:
        return False
    for image in shared(turns):
        if gx is not None:
            clear = gx[image * channels * size :]
            for k in range(channels * size):
                clear[k] = T(0.0)
        for b in range(blocks):
            first = b * _BLOCK
            count = min(_BLOCK, points - first)
            near = grid[(image * points + first) * nd :]
            find_places(near, lows, parts, count, nd, w, h, d, nearest, padding, align)
            for c in range(corners):
                find_corner(
                    lows, parts, weights[c * 64 :], places[c * 64 :], count, c, nd, w, h, d, nearest
                )
            for p in range(512):
                dots[p] = T(0.0)
            for k in range(channels):
                given = g[(image * channels + k) * points + first :]
                source = x[(image * channels + k) * size :]
                for c in range(corners):
                    place = places[c * 64 :]
                    weight = weights[c * 64 :]
                    if gx is not None:
                        into = gx[(image * channels + k) * size :]
                        for p in range(count):
                            if place[p] >= 0:
                                into[place[p]] = into[place[p]] + given[p] * weight[p]
                    if ggrid is not None and nearest == 0:
                        dot = dots[c * 64 :]
                        for p in range(count):
                            v = source[max(place[p], 0)]
                            dot[p] = dot[p] + (v * given[p] if place[p] >= 0 else T(0.0))
            if ggrid is not None:
                into_grid = ggrid[(image * points + first) * nd :]
                if nearest != 0:
                    for p in range(count * nd):
                        into_grid[p] = T(0.0)
                else:
                    write_slopes(
                        into_grid, near, parts, dots, room, count, nd, w, h, d, padding, align
                    )


@inlined(apart=True, exact=True)
def write_slopes(into, grid, parts, dots, room, count, nd, w, h, d, padding, align):
    """The points' gradients from the products of gradients and neighbours, corner by corner."""
    totals = room[64:]
    for k in range(nd):
        n = w if k == 0 else h if k == 1 else d
        for p in range(count):
            totals[p] = T(0.0)
        for c in range(1 << nd):
            dot = dots[c * 64 :]
            sign = T(1.0) if ((c >> k) & 1) == 1 else T(-1.0)
            for p in range(count):
                room[p] = sign * dot[p]
            for j in range(nd):
                part = parts[j * 64 :]
                upper = (c >> j) & 1
                if j != k:
                    for p in range(count):
                        room[p] = room[p] * (part[p] if upper == 1 else 1.0 - part[p])
            for p in range(count):
                totals[p] = totals[p] + room[p]
        for p in range(count):
            room[p] = grid[p * nd + k]
        for p in range(count):
            totals[p] = totals[p] * slope_into_image(room[p], n, padding, align)
        for p in range(count):
            into[p * nd + k] = totals[p]
