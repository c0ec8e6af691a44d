"""The operators that torchvision's compiled part registers, in NumPy and public functions.

Their gradients come from autograd, to any order: formulas that torchvision registers for its own
kernels are not needed and are left aside (`sealed`). `rois` and boxes are not differentiated, as in
torchvision.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from . import images, registry
from .schema import FunctionSchema

_ROIS = 64  # regions at once: bounds the memory of what is between the two products


def _torch() -> Any:
    return import_module("chainrule")


def _operator(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        made = registry.define(FunctionSchema(f"torchvision::{schema}"))
        made.kernels["CompositeImplicitAutograd"] = function
        made.sealed = True
        return function

    return register


# ---- boxes ---------------------------------------------------------------------------------------


@_operator("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
def nms(dets: Any, scores: Any, iou_threshold: float) -> Any:
    """The boxes that no better one overlaps by more than the threshold, the best first."""
    boxes, order = dets.detach().numpy(), np.argsort(-scores.detach().numpy(), kind="stable")
    x1, y1, x2, y2 = boxes[order].T if len(order) else np.zeros((4, 0), boxes.dtype)
    area = (x2 - x1) * (y2 - y1)
    gone = np.zeros(len(order), bool)
    kept = []
    for k in range(len(order)):
        if gone[k]:
            continue
        kept.append(order[k])
        width = np.minimum(x2[k], x2[k + 1 :]) - np.maximum(x1[k], x1[k + 1 :])
        height = np.minimum(y2[k], y2[k + 1 :]) - np.maximum(y1[k], y1[k + 1 :])
        common = np.maximum(width, 0) * np.maximum(height, 0)
        with np.errstate(all="ignore"):
            overlap = common / (area[k] + area[k + 1 :] - common)
        gone[k + 1 :] |= overlap > iou_threshold
    return _torch().from_numpy(np.asarray(kept, np.int64))


# ---- regions: a bin is a weighted sum of rows times one of columns -------------------------------


def _bilinear(start: Any, size: Any, bins: int, samples: Any, length: int) -> np.ndarray:
    """(region, bin, pixel): the weights with which pixels of one axis enter the mean of a bin."""
    count, most = len(start), int(samples.max(initial=1))
    step = np.arange(most, dtype=start.dtype) + start.dtype.type(0.5)
    place = (
        start[:, None, None]
        + np.arange(bins, dtype=start.dtype)[None, :, None] * size[:, None, None]
        + step * size[:, None, None] / np.maximum(samples, 1)[:, None, None].astype(start.dtype)
    )
    used = (np.arange(most) < samples[:, None])[:, None, :] & (place >= -1) & (place <= length)
    place = np.maximum(place, 0)
    low = np.minimum(place.astype(np.int64), length - 1)
    place = np.where(low >= length - 1, low.astype(place.dtype), place)
    high = np.minimum(low + 1, length - 1)
    part = (place - low) * used
    rest = used - part
    weights = np.zeros((count, bins, length), start.dtype)
    where = np.broadcast_to(np.arange(count)[:, None, None], low.shape)
    bin_of = np.broadcast_to(np.arange(bins)[None, :, None], low.shape)
    np.add.at(weights, (where, bin_of, low), rest)
    np.add.at(weights, (where, bin_of, high), part)
    return weights / np.maximum(samples, 1)[:, None, None].astype(start.dtype)


def _aligned_weights(
    rois: np.ndarray, scale: float, bins: tuple[int, int], sampling: int, offset: float,
    at_least: float | None, sizes: tuple[int, int],
) -> list[np.ndarray]:  # fmt: skip
    found = []
    for axis, n, length in ((1, bins[0], sizes[0]), (0, bins[1], sizes[1])):
        begin = rois[:, 1 + axis] * rois.dtype.type(scale) - rois.dtype.type(offset)
        end = rois[:, 3 + axis] * rois.dtype.type(scale) - rois.dtype.type(offset)
        extent = end - begin if at_least is None else np.maximum(end - begin, at_least)
        size = extent / n
        samples = np.full(len(rois), sampling) if sampling > 0 else np.ceil(size).astype(np.int64)
        found.append(_bilinear(begin, size, n, samples, length))
    return found


def _pooled(x: Any, rois: np.ndarray, rows: np.ndarray, columns: np.ndarray, of_bins: Any) -> Any:
    """Regions image by image, a few at once: `of_bins(image, rows, columns)` does the products."""
    torch = _torch()
    order: list[int] = []
    parts = []
    image_of = rois[:, 0].astype(np.int64)
    for image in np.unique(image_of):
        mine = np.flatnonzero(image_of == image)
        for k in range(0, len(mine), _ROIS):
            some = mine[k : k + _ROIS]
            order += some.tolist()
            r = torch.from_numpy(np.ascontiguousarray(rows[some])).to(x.dtype)
            c = torch.from_numpy(np.ascontiguousarray(columns[some])).to(x.dtype)
            parts.append(of_bins(x[int(image)], r, c))
    if not parts:
        return None
    return torch.cat(parts)[torch.from_numpy(np.argsort(np.asarray(order), kind="stable"))]


def _array(rois: Any) -> np.ndarray:
    return (
        rois.detach().to(_torch().float32).numpy() if rois.itemsize < 4 else rois.detach().numpy()
    )


@_operator(
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor"
)
def roi_align(
    x: Any, rois: Any, spatial_scale: float, pooled_height: int, pooled_width: int,
    sampling_ratio: int, aligned: bool,
) -> Any:  # fmt: skip
    """The mean of bilinear samples in each bin of each region."""
    table = _array(rois)
    rows, columns = _aligned_weights(
        table, spatial_scale, (pooled_height, pooled_width), sampling_ratio,
        0.5 if aligned else 0.0, None if aligned else 1.0, (x.shape[2], x.shape[3]),
    )  # fmt: skip

    def of_bins(image: Any, r: Any, c: Any) -> Any:
        k, p, _ = r.shape
        part = r.reshape(k * p, -1) @ image  # (channel, region and bin, column)
        part = part.reshape(image.shape[0], k, p, -1).transpose(0, 1)
        return part @ c.transpose(1, 2)[:, None]

    found = _pooled(x, table, rows, columns, of_bins)
    return x.new_zeros((0, x.shape[1], pooled_height, pooled_width)) if found is None else found


def _channels(x: Any, bins: tuple[int, int], count: int) -> tuple[int, Any]:
    """Channels of a position-sensitive result, and which of the input's each bin has."""
    each = bins[0] * bins[1]
    if x.shape[1] % each:
        raise RuntimeError("input channels must be a multiple of pooling height * pooling width")
    own = x.shape[1] // each
    mapping = _torch().arange(x.shape[1], dtype=_torch().int32).reshape(1, own, *bins)
    return own, mapping.expand(count, own, *bins).contiguous()


def _position_sensitive(x: Any, table: np.ndarray, rows: Any, columns: Any, bins: Any) -> Any:
    own, mapping = _channels(x, bins, len(table))

    def of_bins(image: Any, r: Any, c: Any) -> Any:
        torch = _torch()
        by_bin = image.reshape(own, *bins, *image.shape[1:])
        part = torch.einsum("kpy,cpqyx->kcpqx", r, by_bin)
        return torch.einsum("kcpqx,kqx->kcpq", part, c)

    found = _pooled(x, table, rows, columns, of_bins)
    return (x.new_zeros((0, own, *bins)) if found is None else found), mapping


@_operator(
    "ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio) -> (Tensor, Tensor)"
)
def ps_roi_align(
    x: Any, rois: Any, spatial_scale: float, pooled_height: int, pooled_width: int,
    sampling_ratio: int,
) -> Any:  # fmt: skip
    """As roi_align, each bin from channels of its own."""
    table, bins = _array(rois), (pooled_height, pooled_width)
    rows, columns = _aligned_weights(
        table, spatial_scale, bins, sampling_ratio, 0.5, None, (x.shape[2], x.shape[3])
    )
    return _position_sensitive(x, table, rows, columns, bins)


def _rounded(value: np.ndarray) -> np.ndarray:
    """As C rounds: halves away from zero."""
    return np.trunc(value + np.copysign(0.5, value)).astype(np.int64)


def _edges(
    table: np.ndarray, axis: int, scale: float, bins: int, length: int, closed: int
) -> tuple[np.ndarray, np.ndarray]:
    """(region, bin): first and last-but-one pixel of each bin on one axis."""
    begin = _rounded(table[:, 1 + axis] * table.dtype.type(scale))
    end = _rounded(table[:, 3 + axis] * table.dtype.type(scale))
    size = (np.maximum(end - begin + closed, 1).astype(table.dtype) / bins)[:, None]
    k = np.arange(bins, dtype=table.dtype)
    first = np.floor(k * size).astype(np.int64) + begin[:, None]
    last = np.ceil((k + 1) * size).astype(np.int64) + begin[:, None]
    return np.clip(first, 0, length), np.clip(last, 0, length)


@_operator(
    "ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width) -> (Tensor, Tensor)"
)
def ps_roi_pool(
    x: Any, rois: Any, spatial_scale: float, pooled_height: int, pooled_width: int
) -> Any:
    """The mean of the pixels in each bin, each bin from channels of its own."""
    table, bins = _array(rois), (pooled_height, pooled_width)
    weights = []
    for axis, n, length in ((1, bins[0], x.shape[2]), (0, bins[1], x.shape[3])):
        first, last = _edges(table, axis, spatial_scale, n, length - 1, 0)
        pixel = np.arange(length)
        inside = (pixel >= first[..., None]) & (pixel < last[..., None])
        weights.append(inside / np.maximum(last - first, 1)[..., None])
    rows, columns = (w.astype(table.dtype) for w in weights)
    return _position_sensitive(x, table, rows, columns, bins)


@_operator(
    "roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width) -> (Tensor, Tensor)"
)
def roi_pool(x: Any, rois: Any, spatial_scale: float, pooled_height: int, pooled_width: int) -> Any:
    """The largest pixel in each bin, and where it is."""
    torch, table = _torch(), _array(rois)
    values = x.detach().numpy()
    _, channels, height, width = values.shape
    tops, bottoms = _edges(table, 1, spatial_scale, pooled_height, height, 1)
    lefts, rights = _edges(table, 0, spatial_scale, pooled_width, width, 1)
    shape = (len(table), channels, pooled_height, pooled_width)
    places = np.full(shape, -1, np.int64)
    for k, row in enumerate(table):
        image = values[int(row[0])]
        for p, (top, bottom) in enumerate(zip(tops[k], bottoms[k], strict=True)):
            for q, (left, right) in enumerate(zip(lefts[k], rights[k], strict=True)):
                if top < bottom and left < right:
                    best = image[:, top:bottom, left:right].reshape(channels, -1).argmax(1)
                    down, across = np.divmod(best, right - left)
                    places[k, :, p, q] = (top + down) * width + left + across
    where = torch.from_numpy(places)
    image_of = torch.from_numpy(table[:, 0].astype(np.int64))[:, None, None, None]
    channel = torch.arange(channels)[None, :, None, None]
    flat = x.reshape(x.shape[0], channels, height * width)
    found = flat[image_of, channel, where.clamp(min=0)].masked_fill(where < 0, 0.0)
    return found, where.to(torch.int32)


# ---- deformable convolution ----------------------------------------------------------------------


def _samples(x: Any, rows: Any, columns: Any) -> Any:
    """Bilinear samples of (image, group, channel, height, width) at (image, group, place)."""
    height, width = x.shape[-2:]
    flat = x.flatten(-2)
    top, left = rows.detach().floor(), columns.detach().floor()
    lower, right = rows - top, columns - left  # their derivative is 1 at whole numbers, too
    total = None
    for down in (0, 1):
        for across in (0, 1):
            y, z = top + down, left + across
            weight = (lower if down else 1 - lower) * (right if across else 1 - right)
            there = (y >= 0) & (y < height) & (z >= 0) & (z < width)
            place = (y.clamp(0, height - 1) * width + z.clamp(0, width - 1)).long()
            value = flat.gather(-1, place[:, :, None].expand(-1, -1, flat.shape[2], -1))
            part = value * weight.masked_fill(~there, 0.0)[:, :, None]
            total = part if total is None else total + part
    return total


@_operator(
    "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, "
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, "
    "SymInt dilation_w, SymInt groups, SymInt offset_groups, bool use_mask) -> Tensor"
)
def deform_conv2d(
    x: Any, weight: Any, offset: Any, mask: Any, bias: Any, stride_h: int, stride_w: int,
    pad_h: int, pad_w: int, dilation_h: int, dilation_w: int, groups: int, offset_groups: int,
    use_mask: bool,
) -> Any:  # fmt: skip
    """A convolution whose kernel reads where the offsets say."""
    torch = _torch()
    n, channels = x.shape[:2]
    kernel_h, kernel_w = weight.shape[2:]
    out_h, out_w = offset.shape[-2:]
    wanted = (x.shape[2] + 2 * pad_h - dilation_h * (kernel_h - 1) - 1) // stride_h + 1
    if offset.shape[1] != offset_groups * 2 * kernel_h * kernel_w or out_h != wanted:
        raise RuntimeError(
            f"offset has shape {tuple(offset.shape)}; expected (batch, {offset_groups} * 2 * "
            f"{kernel_h} * {kernel_w}, {wanted}, width)"
        )
    taps = kernel_h * kernel_w
    moved = offset.reshape(n, offset_groups, taps, 2, out_h, out_w)
    ky, kx = torch.arange(kernel_h) * dilation_h, torch.arange(kernel_w) * dilation_w
    down = ky.repeat_interleave(kernel_w)[:, None, None]
    across = kx.repeat(kernel_h)[:, None, None]
    rows = down + torch.arange(out_h)[:, None] * stride_h - pad_h + moved[:, :, :, 0]
    columns = across + torch.arange(out_w) * stride_w - pad_w + moved[:, :, :, 1]
    per_group = x.reshape(n, offset_groups, channels // offset_groups, *x.shape[2:])
    found = _samples(per_group, rows.flatten(2), columns.flatten(2))
    if use_mask:
        found = found * mask.reshape(n, offset_groups, 1, taps * out_h * out_w)
    found = found.reshape(n, groups, channels // groups * taps, out_h * out_w)
    kernels = weight.reshape(groups, weight.shape[0] // groups, -1)
    result = (kernels @ found).reshape(n, weight.shape[0], out_h, out_w)
    return result + bias.reshape(1, -1, 1, 1)


# ---- the rest ------------------------------------------------------------------------------------


@_operator("_cuda_version() -> int")
def _cuda_version() -> int:
    """No CUDA."""
    return -1


def _unused(schema: str, why: str) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"torchvision::{schema.partition('(')[0]}: {why}")

    _operator(schema)(refuse)


_BACKWARD = "the operator differentiates by itself here; its backward kernel is not needed"
for _name in ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool", "deform_conv2d"):
    _unused(f"_{_name}_backward(Tensor grad, Tensor rois) -> Tensor", _BACKWARD)
_unused(
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "there are no quantized tensors",
)
_unused(
    "qroi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, "
    "SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
    "there are no quantized tensors",
)
_unused(
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor",
    "the overlap of rotated boxes is not written here",
)
images.register()
