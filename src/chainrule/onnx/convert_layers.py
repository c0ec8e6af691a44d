"""Layers as ONNX nodes: products, convolutions, pooling, normalisation, recurrence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import chainrule as torch

from .convert_elementwise import converts
from .convert_shapes import _axis, reduced
from .graph import Graph

# ---- products ------------------------------------------------------------------------------------


@converts("matmul", "mm", "bmm", "mv", "dot", "__matmul__")
def _matmul(g: Graph, input: Any, other: Any) -> str:
    return g.add("MatMul", g.of(input, g.result.dtype), g.of(other, g.result.dtype))


@converts("__rmatmul__")
def _reflected_matmul(g: Graph, input: Any, other: Any) -> str:
    return g.add("MatMul", g.of(other, g.result.dtype), g.of(input, g.result.dtype))


@converts("linear")
def _linear(g: Graph, input: Any, weight: Any, bias: Any = None) -> str:
    if input.ndim == 2 and bias is not None:
        return g.add("Gemm", g.of(input), g.of(weight), g.of(bias), transB=1)
    found = g.add("MatMul", g.of(input), g.add("Transpose", g.of(weight), perm=[1, 0]))
    return found if bias is None else g.add("Add", found, g.of(bias))


@converts("addmm", "baddbmm", "addmv")
def _addmm(g: Graph, input: Any, one: Any, other: Any, *, beta: float = 1, alpha: float = 1) -> str:
    kind = g.result.dtype
    found, added = g.add("MatMul", g.of(one), g.of(other)), g.of(input)
    if alpha != 1:
        found = g.add("Mul", found, g.of(alpha, kind))
    if beta != 1:
        added = g.add("Mul", added, g.of(beta, kind))
    return g.add("Add", found, added)


@converts("outer", "ger")
def _outer(g: Graph, input: Any, vec2: Any) -> str:
    column = g.add("Unsqueeze", g.of(input), g.ints([1]))
    return g.add("Mul", column, g.add("Unsqueeze", g.of(vec2), g.ints([0])))


@converts("einsum")
def _einsum(g: Graph, equation: str, *operands: Any) -> str:
    given = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    )
    return g.add("Einsum", *[g.of(t) for t in given], equation=equation.replace(" ", ""))


# ---- convolutions --------------------------------------------------------------------------------


def _each(value: Any, n: int) -> list[int]:
    """A number for each of n axes."""
    given = [value] * n if isinstance(value, int) else [int(v) for v in value]
    return given * n if len(given) == 1 else given


def _batched(g: Graph, input: Any, n: int) -> tuple[str, bool]:
    """With a batch axis in front; whether it has to be taken away again."""
    alone = input.ndim == n + 1
    return (g.add("Unsqueeze", g.of(input), g.ints([0])) if alone else g.of(input)), alone


def _unbatched(g: Graph, found: str, alone: bool) -> str:
    return g.add("Squeeze", found, g.ints([0])) if alone else found


def _conv(n: int) -> Any:
    def convert(g: Graph, input: Any, weight: Any, bias: Any = None, stride: Any = 1,
                padding: Any = 0, dilation: Any = 1, groups: int = 1) -> str:  # fmt: skip
        kernel, dilations = [int(k) for k in weight.shape[2:]], _each(dilation, n)
        if padding == "same":
            total = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
            pads = [t // 2 for t in total] + [t - t // 2 for t in total]
        else:
            pads = _each(0 if padding == "valid" else padding, n) * 2
        x, alone = _batched(g, input, n)
        found = g.add(
            "Conv", x, g.of(weight), *([g.of(bias)] if bias is not None else []),
            kernel_shape=kernel, strides=_each(stride, n), pads=pads, dilations=dilations,
            group=int(groups),
        )  # fmt: skip
        return _unbatched(g, found, alone)

    return convert


def _conv_transpose(n: int) -> Any:
    def convert(g: Graph, input: Any, weight: Any, bias: Any = None, stride: Any = 1,
                padding: Any = 0, output_padding: Any = 0, groups: int = 1,
                dilation: Any = 1) -> str:  # fmt: skip
        x, alone = _batched(g, input, n)
        found = g.add(
            "ConvTranspose", x, g.of(weight), *([g.of(bias)] if bias is not None else []),
            kernel_shape=[int(k) for k in weight.shape[2:]], strides=_each(stride, n),
            pads=_each(padding, n) * 2, output_padding=_each(output_padding, n),
            dilations=_each(dilation, n), group=int(groups),
        )  # fmt: skip
        return _unbatched(g, found, alone)

    return convert


for _n in (1, 2, 3):
    converts(f"conv{_n}d")(_conv(_n))
    converts(f"conv_transpose{_n}d")(_conv_transpose(_n))


# ---- pooling -------------------------------------------------------------------------------------


def _max_pool(n: int) -> Any:
    def convert(g: Graph, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                dilation: Any = 1, ceil_mode: bool = False,
                return_indices: bool = False) -> str:  # fmt: skip
        if return_indices:
            raise NotImplementedError("return_indices=True")
        x, alone = _batched(g, input, n)
        found = g.add(
            "MaxPool", x, kernel_shape=_each(kernel_size, n),
            strides=_each(kernel_size if stride is None or stride == [] else stride, n),
            pads=_each(padding, n) * 2, dilations=_each(dilation, n), ceil_mode=int(ceil_mode),
        )  # fmt: skip
        return _unbatched(g, found, alone)

    return convert


def _avg_pool(n: int) -> Any:
    def convert(g: Graph, input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                ceil_mode: bool = False, count_include_pad: bool = True,
                divisor_override: Any = None) -> str:  # fmt: skip
        if divisor_override is not None or (ceil_mode and g.opset < 19):
            raise NotImplementedError("divisor_override, or ceil_mode before opset_version=19")
        x, alone = _batched(g, input, n)
        found = g.add(
            "AveragePool", x, kernel_shape=_each(kernel_size, n),
            strides=_each(kernel_size if stride is None or stride == [] else stride, n),
            pads=_each(padding, n) * 2, ceil_mode=int(ceil_mode),
            count_include_pad=int(count_include_pad),
        )  # fmt: skip
        return _unbatched(g, found, alone)

    return convert


def _adaptive(n: int, pool: str) -> Any:
    def convert(g: Graph, input: Any, output_size: Any, return_indices: bool = False) -> str:
        wanted = [output_size] * n if isinstance(output_size, int | None) else list(output_size)
        lengths = [int(k) for k in input.shape[-n:]]
        wanted = [k if w is None else int(w) for w, k in zip(wanted, lengths, strict=True)]
        x, alone = _batched(g, input, n)
        if all(w == 1 for w in wanted):
            return _unbatched(g, g.add(f"Global{pool}", x), alone)
        if any(k % w for w, k in zip(wanted, lengths, strict=True)):
            raise NotImplementedError(f"{lengths} in {wanted} windows, which differ in size")
        steps = [k // w for w, k in zip(wanted, lengths, strict=True)]
        return _unbatched(g, g.add(pool, x, kernel_shape=steps, strides=steps), alone)

    return convert


for _n in (1, 2, 3):
    converts(f"max_pool{_n}d")(_max_pool(_n))
    converts(f"avg_pool{_n}d")(_avg_pool(_n))
    converts(f"adaptive_avg_pool{_n}d")(_adaptive(_n, "AveragePool"))
    converts(f"adaptive_max_pool{_n}d")(_adaptive(_n, "MaxPool"))


# ---- normalisation -------------------------------------------------------------------------------


@converts("batch_norm")
def _batch_norm(g: Graph, input: Any, running_mean: Any, running_var: Any, weight: Any = None,
                bias: Any = None, training: bool = False, momentum: float = 0.1,
                eps: float = 1e-5) -> str:  # fmt: skip
    channels = input.shape[1]
    scale = g.of(weight) if weight is not None else _vector(g, 1, channels, input)
    shift = g.of(bias) if bias is not None else _vector(g, 0, channels, input)
    if not training:
        return g.add("BatchNormalization", g.of(input), scale, shift, g.of(running_mean),
                     g.of(running_var), epsilon=float(eps))  # fmt: skip
    axes = [0, *range(2, input.ndim)]
    along = g.ints([1, -1] + [1] * (input.ndim - 2))
    normal = _standardised(g, g.of(input), axes, eps, input)
    scaled = g.add("Mul", normal, g.add("Reshape", scale, along))
    return g.add("Add", scaled, g.add("Reshape", shift, along))


def _vector(g: Graph, value: float, length: int, like: Any) -> str:
    return g.constant(np.full(length, value, like.dtype.np))


def _standardised(g: Graph, x: str, axes: list[int], eps: float, like: Any) -> str:
    centred = g.add("Sub", x, reduced(g, "ReduceMean", x, axes, True))
    variance = reduced(g, "ReduceMean", g.add("Mul", centred, centred), axes, True)
    return g.add("Div", centred, g.add("Sqrt", g.add("Add", variance, g.of(eps, like.dtype))))


@converts("layer_norm")
def _layer_norm(g: Graph, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None,
                eps: float = 1e-5) -> str:  # fmt: skip
    n = len(normalized_shape)
    if g.opset >= 17:
        scale = weight if weight is not None else torch.ones(list(normalized_shape)).to(input.dtype)
        given = [g.of(scale)] + ([g.of(bias)] if bias is not None else [])
        return g.add("LayerNormalization", g.of(input), *given, axis=-n, epsilon=float(eps))
    axes = list(range(input.ndim - n, input.ndim))
    found = _standardised(g, g.of(input), axes, eps, input)
    found = g.add("Mul", found, g.of(weight)) if weight is not None else found
    return g.add("Add", found, g.of(bias)) if bias is not None else found


@converts("rms_norm")
def _rms_norm(g: Graph, input: Any, normalized_shape: Any, weight: Any = None,
              eps: Any = None) -> str:  # fmt: skip
    axes = list(range(input.ndim - len(normalized_shape), input.ndim))
    small = torch.finfo(input.dtype).eps if eps is None else eps
    x = g.of(input)
    mean = reduced(g, "ReduceMean", g.add("Mul", x, x), axes, True)
    found = g.add("Div", x, g.add("Sqrt", g.add("Add", mean, g.of(small, input.dtype))))
    return g.add("Mul", found, g.of(weight)) if weight is not None else found


@converts("group_norm")
def _group_norm(g: Graph, input: Any, num_groups: int, weight: Any = None, bias: Any = None,
                eps: float = 1e-5) -> str:  # fmt: skip
    x = g.of(input)
    grouped = g.add("Reshape", x, g.ints([0, num_groups, -1]))
    normal = g.add("InstanceNormalization", grouped, _vector(g, 1, num_groups, input),
                   _vector(g, 0, num_groups, input), epsilon=float(eps))  # fmt: skip
    found = g.add("Reshape", normal, g.add("Shape", x))
    along = g.ints([-1] + [1] * (input.ndim - 2))
    if weight is not None:
        found = g.add("Mul", found, g.add("Reshape", g.of(weight), along))
    return g.add("Add", found, g.add("Reshape", g.of(bias), along)) if bias is not None else found


@converts("instance_norm")
def _instance_norm(g: Graph, input: Any, running_mean: Any = None, running_var: Any = None,
                   weight: Any = None, bias: Any = None, use_input_stats: bool = True,
                   momentum: float = 0.1, eps: float = 1e-5) -> str:  # fmt: skip
    if not use_input_stats:
        return _batch_norm(g, input, running_mean, running_var, weight, bias, eps=eps)
    channels = input.shape[1]
    scale = g.of(weight) if weight is not None else _vector(g, 1, channels, input)
    shift = g.of(bias) if bias is not None else _vector(g, 0, channels, input)
    return g.add("InstanceNormalization", g.of(input), scale, shift, epsilon=float(eps))


@converts("local_response_norm")
def _lrn(g: Graph, input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75,
         k: float = 1.0) -> str:  # fmt: skip
    return g.add("LRN", g.of(input), size=int(size), alpha=float(alpha), beta=float(beta),
                 bias=float(k))  # fmt: skip


# ---- softmax and attention -----------------------------------------------------------------------


def _softmax(op: str) -> Any:
    def convert(
        g: Graph, input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None
    ) -> str:
        if dim is None:
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return g.add(op, g.of(input, g.result.dtype), axis=_axis(dim, input.ndim))

    return convert


converts("softmax")(_softmax("Softmax"))
converts("log_softmax")(_softmax("LogSoftmax"))


@converts("scaled_dot_product_attention")
def _attention(g: Graph, query: Any, key: Any, value: Any, attn_mask: Any = None,
               dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None,
               enable_gqa: bool = False) -> str:  # fmt: skip
    if dropout_p > 0 or enable_gqa or (is_causal and g.opset < 14):
        raise NotImplementedError("dropout_p > 0, enable_gqa, or is_causal before opset 14")
    kind = query.dtype
    order = [*range(key.ndim - 2), key.ndim - 1, key.ndim - 2]
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scaled = g.add("Mul", g.of(query), g.of(factor, kind))
    scores = g.add("MatMul", scaled, g.add("Transpose", g.of(key), perm=order))
    low = g.of(float("-inf"), kind)
    if is_causal:
        lengths = g.add("Concat", g.axis_length(g.of(query), query.ndim - 2),
                        g.axis_length(g.of(key), key.ndim - 2), axis=0)  # fmt: skip
        ones = g.add("Expand", g.of(1, torch.int32), lengths)
        kept = g.cast(g.add("Trilu", ones, upper=0), torch.bool)
        scores = g.add("Where", kept, scores, low)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            scores = g.add("Where", g.of(attn_mask), scores, low)
        else:
            scores = g.add("Add", scores, g.of(attn_mask, kind))
    return g.add("MatMul", g.add("Softmax", scores, axis=-1), g.of(value))


@converts("embedding")
def _embedding(g: Graph, input: Any, weight: Any, *args: Any, **kwargs: Any) -> str:
    if kwargs.get("max_norm") is not None:
        raise NotImplementedError("max_norm")
    return g.add("Gather", g.of(weight), g.of(input), axis=0)


# ---- images --------------------------------------------------------------------------------------


@converts("interpolate", "upsample", "upsample_nearest", "upsample_bilinear")
def _interpolate(g: Graph, input: Any, size: Any = None, scale_factor: Any = None,
                 mode: str = "nearest", align_corners: Any = None,
                 recompute_scale_factor: Any = None, antialias: bool = False) -> str:  # fmt: skip
    n = input.ndim - 2
    modes = {"nearest": "nearest", "nearest-exact": "nearest", "linear": "linear",
             "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}  # fmt: skip
    if mode not in modes or antialias:
        raise NotImplementedError(f"mode={mode!r}, antialias={antialias}")
    places = ("asymmetric" if mode == "nearest" else "half_pixel" if mode == "nearest-exact"
              else "align_corners" if align_corners else
              "pytorch_half_pixel" if mode != "bicubic" else "half_pixel")  # fmt: skip
    options: dict[str, Any] = {"mode": modes[mode], "coordinate_transformation_mode": places}
    if modes[mode] == "nearest":
        options["nearest_mode"] = "floor" if mode == "nearest" else "round_prefer_ceil"
    if mode == "bicubic":
        options["cubic_coeff_a"] = -0.75
    if scale_factor is not None and not recompute_scale_factor:
        given = [scale_factor] * n if isinstance(scale_factor, int | float) else list(scale_factor)
        scales = g.constant(np.array([1.0, 1.0, *given], np.float32))
        return g.add("Resize", g.of(input), "", scales, **options)
    wanted = [size] * n if isinstance(size, int) else list(size or g.result.shape[2:])
    front = [g.axis_length(g.of(input), k) for k in (0, 1)]
    sizes = g.add("Concat", *front, g.sizes(wanted), axis=0)
    return g.add("Resize", g.of(input), "", "", sizes, **options)


# ---- recurrence ----------------------------------------------------------------------------------

_GATES = {"LSTM": [0, 3, 1, 2], "GRU": [1, 0, 2], "RNN": [0]}  # ONNX's order of our gates


def _recurrent(op: str, activation: str = "") -> Any:
    def convert(g: Graph, input: Any, hx: Any, params: Any, has_biases: bool, num_layers: int,
                dropout: float, train: bool, bidirectional: bool,
                batch_first: bool) -> Any:  # fmt: skip
        if not isinstance(has_biases, bool):
            raise NotImplementedError("packed sequences")
        if train and dropout > 0 and num_layers > 1:
            raise NotImplementedError("dropout in training mode; use .eval()")
        states = list(hx) if isinstance(hx, list | tuple) else [hx]
        ways, step = 1 + bidirectional, 4 if has_biases else 2
        x = g.add("Transpose", g.of(input), perm=[1, 0, 2]) if batch_first else g.of(input)
        lasts: list[list[str]] = [[] for _ in states]
        for layer in range(num_layers):
            at = layer * ways
            given = [params[(at + way) * step : (at + way + 1) * step] for way in range(ways)]
            first = [_layer_state(g, state, at, ways, num_layers) for state in states]
            x, *ends = _layer(g, op, activation, x, given, first, has_biases, bidirectional)
            for last, end in zip(lasts, ends, strict=True):
                last.append(end)
        out = g.add("Transpose", x, perm=[1, 0, 2]) if batch_first else x
        joined = [last[0] if len(last) == 1 else g.add("Concat", *last, axis=0) for last in lasts]
        return (out, *joined)

    return convert


def _layer_state(g: Graph, state: Any, at: int, ways: int, num_layers: int) -> str:
    if num_layers == 1:
        return g.of(state)
    return g.add("Slice", g.of(state), g.ints([at]), g.ints([at + ways]), g.ints([0]))


def _layer(g: Graph, op: str, activation: str, x: str, given: Any, first: list[str],
           has_biases: bool, bidirectional: bool) -> tuple[str, ...]:  # fmt: skip
    """One layer in one or both directions; its results in our order of axes."""
    order = _GATES[op]

    def rows(weight: Any) -> np.ndarray:
        parts = np.split(weight.detach().numpy(force=True), len(order))
        return np.concatenate([parts[k] for k in order])

    w = g.constant(np.stack([rows(p[0]) for p in given]))
    r = g.constant(np.stack([rows(p[1]) for p in given]))
    biases = [np.concatenate([rows(p[2]), rows(p[3])]) for p in given] if has_biases else []
    b = g.constant(np.stack(biases)) if has_biases else ""
    options: dict[str, Any] = {"hidden_size": int(given[0][1].shape[1])}
    if bidirectional:
        options["direction"] = "bidirectional"
    if op == "GRU":
        options["linear_before_reset"] = 1
    ways = 1 + bidirectional
    activations = [activation] * ways if activation else None
    made = _recurrent_node(g, op, [x, w, r, b, "", *first], activations, options)
    out = g.add("Transpose", made[0], perm=[0, 2, 1, 3])  # (length, batch, directions, hidden)
    return (g.add("Reshape", out, g.ints([0, 0, -1])), *made[1:])


def _recurrent_node(g: Graph, op: str, inputs: list[str], activations: Any, options: Any) -> Any:
    if activations:
        options["activations"] = activations
    return g.add(op, *inputs, count=3 if op == "LSTM" else 2, **options)


converts("lstm")(_recurrent("LSTM"))
converts("gru")(_recurrent("GRU"))
converts("rnn_tanh")(_recurrent("RNN"))
converts("rnn_relu")(_recurrent("RNN", "Relu"))
