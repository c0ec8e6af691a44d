"""Functions that move, join, choose and reduce elements, as ONNX nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as torch

from .convert_elementwise import _size_list, converts
from .dims import Dim
from .graph import Graph


def _axis(axis: int, ndim: int) -> int:
    return axis % max(ndim, 1)


def _axes(dim: Any, ndim: int) -> list[int]:
    if dim is None:
        return list(range(ndim))
    given = [dim] if isinstance(dim, int) else list(dim)
    return [_axis(k, ndim) for k in given] or list(range(ndim))


# ---- shapes --------------------------------------------------------------------------------------


@converts("view", "reshape")
def _reshape(g: Graph, input: Any, *shape: Any, **kwargs: Any) -> str:
    given = _size_list(shape) if shape else list(kwargs.get("shape", kwargs.get("size", ())))
    if given and isinstance(given[0], torch.dtype):
        raise NotImplementedError("a view as another type")
    return g.add("Reshape", g.of(input), g.sizes(given))


@converts("view_as", "reshape_as")
def _reshape_as(g: Graph, input: Any, other: Any) -> str:
    return g.add("Reshape", g.of(input), g.add("Shape", g.of(other)))


@converts("flatten", "ravel")
def _flatten(g: Graph, input: Any, start_dim: int = 0, end_dim: int = -1) -> str:
    start, end = _axis(start_dim, input.ndim), _axis(end_dim, input.ndim)
    if start == 1 and end == input.ndim - 1:
        return g.add("Flatten", g.of(input), axis=1)
    # 0 copies a length; one -1 is enough for the joined axes, what follows keeps its lengths
    rest = [input.shape[k] if not g.dynamic else Dim(input.shape[k], ("axis", input, k))
            for k in range(end + 1, input.ndim)]  # fmt: skip
    return g.add("Reshape", g.of(input), g.sizes([0] * start + [-1] + rest))


@converts("unflatten")
def _unflatten(g: Graph, input: Any, dim: int, sizes: Any) -> str:
    k = _axis(dim, input.ndim)
    after = [Dim(input.shape[j], ("axis", input, j)) for j in range(k + 1, input.ndim)]
    return g.add("Reshape", g.of(input), g.sizes([0] * k + list(sizes) + after))


@converts("squeeze")
def _squeeze(g: Graph, input: Any, dim: Any = None) -> str:
    axes = _axes(dim, input.ndim)
    axes = [k for k in axes if input.shape[k] == 1]
    return g.add("Squeeze", g.of(input), g.ints(axes)) if axes else g.add("Identity", g.of(input))


@converts("unsqueeze")
def _unsqueeze(g: Graph, input: Any, dim: int) -> str:
    return g.add("Unsqueeze", g.of(input), g.ints([_axis(dim, input.ndim + 1)]))


def _permuted(g: Graph, input: Any, order: Any) -> str:
    return g.add("Transpose", g.of(input), perm=[int(k) for k in order])


@converts("permute")
def _permute(g: Graph, input: Any, *dims: Any, **kwargs: Any) -> str:
    order = _size_list(dims) if dims else list(kwargs["dims"])
    return _permuted(g, input, [_axis(k, input.ndim) for k in order])


@converts("transpose", "swapaxes", "swapdims")
def _transpose(g: Graph, input: Any, dim0: int, dim1: int) -> str:
    order = list(range(input.ndim))
    a, b = _axis(dim0, input.ndim), _axis(dim1, input.ndim)
    order[a], order[b] = order[b], order[a]
    return _permuted(g, input, order)


@converts("t", "T", "mT", "mH", "H", "adjoint")
def _turned(g: Graph, input: Any) -> str:
    order = list(range(input.ndim))
    if input.ndim >= 2:
        order[-1], order[-2] = order[-2], order[-1]
    return _permuted(g, input, order)


@converts("movedim", "moveaxis")
def _movedim(g: Graph, input: Any, source: Any, destination: Any) -> str:
    froms, tos = _axes(source, input.ndim), _axes(destination, input.ndim)
    order = [k for k in range(input.ndim) if k not in froms]
    for to, k in sorted(zip(tos, froms, strict=True)):
        order.insert(to, k)
    return _permuted(g, input, order)


@converts("expand", "broadcast_to")
def _expand(g: Graph, input: Any, *size: Any, **kwargs: Any) -> str:
    given = _size_list(size) if size else list(kwargs["size"])
    return g.add("Expand", g.of(input), g.sizes([1 if not isinstance(n, Dim) and n == -1 else n
                                                 for n in given]))  # fmt: skip


@converts("expand_as")
def _expand_as(g: Graph, input: Any, other: Any) -> str:
    return g.add("Expand", g.of(input), g.add("Shape", g.of(other)))


@converts("repeat", "tile")
def _repeat(g: Graph, input: Any, *repeats: Any, **kwargs: Any) -> str:
    given = _size_list(repeats) if repeats else list(next(iter(kwargs.values())))
    x = g.of(input)
    if len(given) < input.ndim:
        given = [1] * (input.ndim - len(given)) + given
    if len(given) > input.ndim:
        x = g.add("Unsqueeze", x, g.ints(range(len(given) - input.ndim)))
    return g.add("Tile", x, g.sizes(given))


@converts("repeat_interleave")
def _repeat_interleave(g: Graph, input: Any, repeats: Any, dim: Any = None) -> str:
    if not isinstance(repeats, int) or dim is None:
        raise NotImplementedError("only a number of repeats along a dim")
    k = _axis(dim, input.ndim)
    apart = g.add("Unsqueeze", g.of(input), g.ints([k + 1]))
    times = [1] * (input.ndim + 1)
    times[k + 1] = repeats
    many = g.add("Tile", apart, g.sizes(times))
    after = [Dim(input.shape[j], ("axis", input, j)) for j in range(k + 1, input.ndim)]
    return g.add("Reshape", many, g.sizes([0] * k + [-1] + after))


@converts("cat", "concat", "concatenate")
def _cat(g: Graph, tensors: Any, dim: int = 0, **kwargs: Any) -> str:
    kind = g.result.dtype
    parts = [g.of(t, kind) for t in tensors if t.shape != (0,)]
    return g.add("Concat", *parts, axis=_axis(kwargs.get("axis", dim), g.result.ndim))


@converts("stack")
def _stack(g: Graph, tensors: Any, dim: int = 0) -> str:
    k = _axis(dim, g.result.ndim)
    parts = [g.add("Unsqueeze", g.of(t, g.result.dtype), g.ints([k])) for t in tensors]
    return g.add("Concat", *parts, axis=k)


@converts("split", "chunk", "tensor_split", "split_with_sizes")
def _split(g: Graph, input: Any, sizes: Any, dim: int = 0) -> Any:
    k = _axis(dim, input.ndim)
    lengths = [part.shape[k] for part in g.result]
    if len(lengths) == 1:
        return (g.add("Identity", g.of(input)),)
    return g.add("Split", g.of(input), g.ints(lengths), count=len(lengths), axis=k)


@converts("unbind", "__iter__")
def _unbind(g: Graph, input: Any, dim: int = 0) -> Any:
    k = _axis(dim, input.ndim)
    return tuple(
        g.add("Gather", g.of(input), g.of(j, torch.int64), axis=k) for j in range(input.shape[k])
    )


@converts("flip")
def _flip(g: Graph, input: Any, *dims: Any) -> str:
    axes = [_axis(k, input.ndim) for k in _size_list(dims)]
    low = np.iinfo(np.int64).min
    n = len(axes)
    return g.add("Slice", g.of(input), g.ints([-1] * n), g.ints([low] * n), g.ints(axes),
                 g.ints([-1] * n))  # fmt: skip


@converts("roll")
def _roll(g: Graph, input: Any, shifts: Any, dims: Any = None) -> str:
    if dims is None:
        raise NotImplementedError("roll without dims")
    x = g.of(input)
    pairs = zip([shifts] if isinstance(shifts, int) else shifts, _axes(dims, input.ndim),
                strict=True)  # fmt: skip
    for shift, k in pairs:
        if shift:
            end = np.iinfo(np.int64).max
            back = g.add("Slice", x, g.ints([-shift]), g.ints([end]), g.ints([k]))
            front = g.add("Slice", x, g.ints([0]), g.ints([-shift]), g.ints([k]))
            x = g.add("Concat", back, front, axis=k)
    return x


def _triangle_of(upper: int) -> Any:
    def convert(g: Graph, input: Any, diagonal: Any = 0) -> str:
        if g.opset < 14:
            raise NotImplementedError("triangles need opset_version=14")
        bool_ = input.dtype == torch.bool
        x = g.of(input, torch.int32) if bool_ else g.of(input)
        found = g.add("Trilu", x, g.of(diagonal, torch.int64), upper=upper)
        return g.cast(found, torch.bool) if bool_ else found

    return convert


converts("tril")(_triangle_of(0))
converts("triu")(_triangle_of(1))


@converts("pixel_shuffle")
def _pixel_shuffle(g: Graph, input: Any, upscale_factor: int) -> str:
    return g.add("DepthToSpace", g.of(input), blocksize=int(upscale_factor), mode="CRD")


@converts("pad")
def _pad(g: Graph, input: Any, pad: Any, mode: str = "constant", value: Any = None) -> str:
    n, given = input.ndim, list(pad)
    begins, ends = [0] * n, [0] * n
    for j in range(len(given) // 2):
        begins[n - 1 - j], ends[n - 1 - j] = given[2 * j], given[2 * j + 1]
    modes = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    if mode == "circular" and g.opset < 19:
        raise NotImplementedError("circular padding needs opset_version=19")
    fill = [g.of(value or 0, input.dtype)] if mode == "constant" else []
    return g.add("Pad", g.of(input), g.sizes(begins + ends), *fill, mode=modes[mode])


# ---- choosing ------------------------------------------------------------------------------------


@converts("select")
def _select(g: Graph, input: Any, dim: int, index: Any) -> str:
    return g.add("Gather", g.of(input), g.of(index, torch.int64), axis=_axis(dim, input.ndim))


@converts("narrow")
def _narrow(g: Graph, input: Any, dim: int, start: Any, length: Any) -> str:
    k = _axis(dim, input.ndim)
    return g.add("Slice", g.of(input), g.sizes([start]), g.sizes([start + length]), g.ints([k]))


@converts("index_select")
def _index_select(g: Graph, input: Any, dim: int, index: Any) -> str:
    return g.add("Gather", g.of(input), g.of(index), axis=_axis(dim, input.ndim))


@converts("gather", "take_along_dim")
def _gather(g: Graph, input: Any, dim: Any, index: Any, *, sparse_grad: bool = False) -> str:
    if isinstance(dim, torch.Tensor):  # take_along_dim(input, indices, dim)
        dim, index = index, dim
    return g.add("GatherElements", g.of(input), g.of(index), axis=_axis(dim, input.ndim))


@converts("__getitem__")
def _getitem(g: Graph, input: Any, index: Any) -> str:
    parts = list(index) if isinstance(index, tuple) else [index]
    if any((isinstance(p, torch.Tensor) and p.ndim > 0) or isinstance(p, list) for p in parts):
        return _advanced(g, input, parts)
    used = sum(p is not None and p is not Ellipsis for p in parts)
    if Ellipsis not in [p for p in parts if not isinstance(p, torch.Tensor)]:
        parts.append(Ellipsis)
    place = next(i for i, p in enumerate(parts) if p is Ellipsis)
    parts[place : place + 1] = [slice(None)] * (input.ndim - used)
    return _basic(g, g.of(input), parts)


def _basic(g: Graph, x: str, parts: list[Any]) -> str:
    """Numbers, slices and new axes: one Slice, then the axes that go, then those that come."""
    slices, gone, new, axis, out = [], [], [], 0, 0
    for part in parts:
        if part is None:
            new.append(out)
            out += 1
        elif isinstance(part, slice):
            if part != slice(None):
                slices.append((axis, part))
            axis, out = axis + 1, out + 1
        else:
            gone.append((axis, part))
            axis += 1
    if slices:
        end = np.iinfo(np.int64).max
        x = g.add(
            "Slice", x, g.sizes([s.start or 0 for _, s in slices]),
            g.sizes([end if s.stop is None else s.stop for _, s in slices]),
            g.ints([k for k, _ in slices]), g.ints([s.step or 1 for _, s in slices]),
        )  # fmt: skip
    for k, number in reversed(gone):
        x = g.add("Gather", x, g.of(number, torch.int64), axis=k)
    return g.add("Unsqueeze", x, g.ints(new)) if new else x


def _advanced(g: Graph, input: Any, parts: list[Any]) -> str:
    """One tensor of numbers among full slices."""
    at = [i for i, p in enumerate(parts) if isinstance(p, torch.Tensor | list)]
    plain = all(p == slice(None) for i, p in enumerate(parts) if i not in at)
    if len(at) != 1 or not plain:
        raise NotImplementedError("an index of several tensors; use gather or index_select")
    index = parts[at[0]] if isinstance(parts[at[0]], torch.Tensor) else torch.tensor(parts[at[0]])
    if index.dtype == torch.bool:
        raise NotImplementedError("a mask as index: the size of the result depends on values")
    return g.add("Gather", g.of(input), g.of(index, torch.int64), axis=at[0])


# ---- reductions ----------------------------------------------------------------------------------


def reduced(g: Graph, op: str, x: str, axes: list[int], keep: bool) -> str:
    """A reduction; its axes are an input or an attribute, by version."""
    if g.opset >= 18 or op == "ReduceSum":
        return g.add(op, x, g.ints(axes), keepdims=int(keep))
    return g.add(op, x, axes=axes, keepdims=int(keep))


def _reduction(op: str) -> Any:
    def convert(g: Graph, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None,
                axis: Any = None, keepdims: bool = False) -> str:  # fmt: skip
        axes = _axes(dim if axis is None else axis, input.ndim)
        x = g.of(input, g.result.dtype)
        return reduced(g, op, x, axes, keepdim or keepdims) if input.ndim else x

    return convert


for _op, _name in {"ReduceSum": "sum", "ReduceMean": "mean", "ReduceProd": "prod",
                   "ReduceMax": "amax", "ReduceMin": "amin",
                   "ReduceLogSumExp": "logsumexp"}.items():  # fmt: skip
    converts(_name)(_reduction(_op))


def _truth_of(op: str) -> Any:
    def convert(g: Graph, input: Any, dim: Any = None, keepdim: bool = False) -> str:
        x = g.of(input, torch.bool)
        found = reduced(g, op, g.cast(x, torch.int32), _axes(dim, input.ndim), keepdim)
        return g.cast(found, torch.bool)

    return convert


converts("any")(_truth_of("ReduceMax"))
converts("all")(_truth_of("ReduceMin"))


def _extreme(op: str, arg: str, elementwise: str) -> Any:
    def convert(g: Graph, input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, torch.Tensor):
            return g.add(elementwise, g.of(input, g.result.dtype), g.of(dim, g.result.dtype))
        if dim is None:
            return reduced(g, op, g.of(input), _axes(None, input.ndim), False)
        k = _axis(dim, input.ndim)
        where = g.add(arg, g.of(input), axis=k, keepdims=int(keepdim))
        return reduced(g, op, g.of(input), [k], keepdim), where

    return convert


converts("max")(_extreme("ReduceMax", "ArgMax", "Max"))
converts("min")(_extreme("ReduceMin", "ArgMin", "Min"))


def _arg(op: str) -> Any:
    def convert(g: Graph, input: Any, dim: Any = None, keepdim: bool = False) -> str:
        if dim is None:
            flat = g.add("Reshape", g.of(input), g.ints([-1]))
            return g.add(op, flat, axis=0, keepdims=0)
        return g.add(op, g.of(input), axis=_axis(dim, input.ndim), keepdims=int(keepdim))

    return convert


converts("argmax")(_arg("ArgMax"))
converts("argmin")(_arg("ArgMin"))


@converts("cumsum")
def _cumsum(g: Graph, input: Any, dim: int, *, dtype: Any = None) -> str:
    return g.add("CumSum", g.of(input, g.result.dtype), g.of(_axis(dim, input.ndim), torch.int64))


@converts("topk")
def _topk(g: Graph, input: Any, k: Any, dim: int = -1, largest: bool = True,
          sorted: bool = True) -> Any:  # fmt: skip
    return g.add("TopK", g.of(input), g.sizes([k]), count=2, axis=_axis(dim, input.ndim),
                 largest=int(largest), sorted=int(sorted))  # fmt: skip


@converts("sort")
def _sort(g: Graph, input: Any, dim: int = -1, descending: bool = False, **kwargs: Any) -> Any:
    k = _axis(dim, input.ndim)
    return g.add("TopK", g.of(input), g.axis_length(g.of(input), k), count=2, axis=k,
                 largest=int(descending), sorted=1)  # fmt: skip


@converts("argsort")
def _argsort(g: Graph, input: Any, dim: int = -1, descending: bool = False) -> Any:
    return _sort(g, input, dim, descending)[1]
