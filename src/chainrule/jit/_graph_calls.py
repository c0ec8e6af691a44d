"""Public functions as the calls of PyTorch's operators that a trace shows for them."""

from __future__ import annotations

import inspect
from typing import Any

import chainrule as torch

# What the graph need not show: questions about tensors, and what only Python sees.
QUESTIONS = frozenset(
    "dtype device ndim requires_grad is_leaf layout grad_fn is_meta grad dim is_floating_point "
    "is_complex is_contiguous element_size stride _version is_sparse is_cuda itemsize is_quantized "
    "is_nested names output_nr is_inference data_ptr storage_offset _is_view is_signed get_device "
    "is_cpu is_tensor is_same_size __hash__ result_type is_conj is_neg __repr__ __format__ "
    "register_hook shape size __len__ numel nelement item tolist __bool__ __float__ __int__ "
    "__index__ __complex__ numpy __array__ is_nonzero equal allclose __contains__ requires_grad_ "
    "retain_grad backward can_cast data".split()
)
_OPERATORS = {
    "truediv": "div", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "invert": "bitwise_not", "lshift": "__lshift__", "rshift": "__rshift__", "mod": "remainder",
    "floordiv": "floor_divide",
}  # fmt: skip

Call = tuple[str, list[Any], list[Any]]


def call_of(
    name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], results: list[Any]
) -> list[Call]:
    """Kind, arguments and results of the nodes that stand for a call."""
    if name == "__getitem__":
        return _indexed(args[0], args[1], results)
    if name in _CONVOLUTIONS:
        return [_convolution(name, args, kwargs, results)]
    if name == "interpolate" or name.startswith("upsample"):
        return [_interpolated(args, kwargs, results)]
    if name == "embedding":
        return [_embedding(args, kwargs, results)]
    if name == "grid_sample":
        return [_sampled(args, kwargs, results)]
    operator, ordered = _named(name, args, kwargs)
    return [(f"aten::{operator}", _arguments(operator, func, ordered, kwargs), results)]


def _named(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The name of the operator, and its arguments in its order."""
    if name.startswith("__") and name.endswith("__"):
        bare = name.strip("_")
        if not hasattr(torch, bare) and bare not in _OPERATORS:
            reflected, in_place = bare.startswith("r"), bare.startswith("i")
            bare = bare[1:] if reflected or in_place else bare
            args = args[::-1] if reflected else args
            return _OPERATORS.get(bare, bare) + "_" * in_place, args
        return _OPERATORS.get(bare, bare), args
    if kwargs.get("inplace") or (len(args) > 1 and args[-1] is True and name in _IN_PLACE):
        return f"{name}_", args
    return name, args


# Activations with an option `inplace`, and how many arguments stand before it.
_IN_PLACE = {
    "relu": 1, "relu6": 1, "silu": 1, "mish": 1, "hardswish": 1, "hardsigmoid": 1, "selu": 1,
    "elu": 2, "celu": 2, "leaky_relu": 2, "hardtanh": 3, "threshold": 3, "dropout": 3,
}  # fmt: skip


def schemas_of(name: str) -> list[Any]:
    """The signatures of an operator of PyTorch's core; none for other names."""
    packet = getattr(torch.ops.aten, name, None)  # pyright: ignore[reportAttributeAccessIssue]
    return [] if packet is None else [getattr(packet, one)._schema for one in packet.overloads()]


def _arguments(name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """All arguments in the order of the operator's signature, defaults with them."""
    schemas = schemas_of(name)
    named, given_names = _named_values(func, args, kwargs)
    for strict in (True, False):
        for schema in schemas:
            if strict and not given_names <= {a.name for a in schema.arguments}:
                continue
            if named and (found := _by_name(schema, named)) is not None:
                return found
    for schema in schemas:
        try:
            return list(schema.bind(_gathered(schema, args), kwargs).values())
        except RuntimeError:
            continue
    return [*args, *kwargs.values()]


def _gathered(schema: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with those that were given one by one, `view(2, 3)`, as the operator's list."""
    for k, argument in enumerate(schema.arguments):
        if argument.type.endswith("[]") and k < len(args):
            if isinstance(args[k], list | tuple):
                return args
            return (*args[:k], list(args[k:]))
    return args


def _named_values(func: Any, args: Any, kwargs: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """The arguments by the operators' names for them, and which of them were given."""
    try:
        bound = inspect.signature(func).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return {}, set()
    kinds = {p.kind for p in bound.signature.parameters.values()}
    if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        return {}, set()
    given = {_SPELLINGS.get(name, name) for name in bound.arguments}
    bound.apply_defaults()
    named = dict(bound.arguments)
    named |= {new: named[old] for old, new in _SPELLINGS.items() if old in named}
    return named, given - _ONLY_PYTHON


# Arguments of operators that the public functions call otherwise, or have not: switches of cuDNN.
_SPELLINGS = {"input": "self", "training": "train"}
_ONLY_PYTHON = {"inplace", "return_indices", "_stacklevel", "out"}
_PYTHONS = {new: old for old, new in _SPELLINGS.items()}
_SWITCHES = {"cudnn_enabled": True, "cudnn_enable": True}


def _by_name(schema: Any, named: dict[str, Any]) -> list[Any] | None:
    values = {**_SWITCHES, **named}
    found = []
    for argument in schema.arguments:
        if argument.name in values:
            found.append(values[argument.name])
        elif argument.name in _PYTHONS and _PYTHONS[argument.name] in values:
            found.append(values[_PYTHONS[argument.name]])
        elif argument.has_default_value():
            found.append(argument.default)
        else:
            return None
        if argument.type == "Tensor" and not isinstance(found[-1], torch.Tensor):
            return None
    return found


def _indexed(x: Any, index: Any, results: list[Any]) -> list[Call]:
    """`x[1:, 0, None]` as `slice`, `select` and `unsqueeze`; other indices as `index`."""
    parts = list(index) if isinstance(index, tuple) else [index]
    simple = all(p is None or p is ... or type(p) in (int, slice) for p in parts)
    if not simple or parts == [...] or not parts:
        tensors = [p for p in parts if isinstance(p, torch.Tensor)]
        return [("aten::index", [x, tensors], results)]
    calls: list[Call] = []
    axis, at = 0, x
    last = max(k for k, part in enumerate(parts) if part is not ...)
    for k, part in enumerate(parts):
        if part is ...:
            axis += x.ndim - sum(p is not None and p is not ... for p in parts)
            continue
        before, key = at, (slice(None),) * axis + (part,)
        at = results[0] if k == last else at.detach()[key]
        if part is None:
            calls.append(("aten::unsqueeze", [before, axis], [at]))
        elif isinstance(part, slice):
            arguments = [before, axis, part.start, part.stop, part.step or 1]
            calls.append(("aten::slice", arguments, [at]))
        else:
            calls.append(("aten::select", [before, axis, part], [at]))
        axis += not isinstance(part, int)
    return calls


_CONVOLUTIONS = {f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)}
_CONVOLUTION = ("input", "weight", "bias", "stride", "padding", "dilation", "groups")
_TRANSPOSED = (
    "input", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation",
)  # fmt: skip


def _convolution(name: str, args: Any, kwargs: Any, results: list[Any]) -> Call:
    transposed = "transpose" in name
    order = _TRANSPOSED if transposed else _CONVOLUTION
    given = {"bias": None, "stride": 1, "padding": 0, "dilation": 1, "groups": 1,
             "output_padding": 0, **dict(zip(order, args, strict=False)), **kwargs}  # fmt: skip
    n = int(name[-2])
    every = {
        key: [value] * n if isinstance(value, int) else value
        for key in ("stride", "padding", "dilation", "output_padding")
        for value in [given[key]]
    }
    first = [given["input"], given["weight"], given["bias"]]
    if isinstance(given["padding"], str):
        rest = [every["stride"], given["padding"], every["dilation"], given["groups"]]
        return "aten::_convolution_mode", [*first, *rest], results
    rest = [every["stride"], every["padding"], every["dilation"], transposed]
    # The last four are switches of cuDNN: benchmark, deterministic, enabled, TF32.
    tail = [every["output_padding"], given["groups"], False, False, True, True]
    return "aten::_convolution", [*first, *rest, *tail], results


def _interpolated(args: Any, kwargs: Any, results: list[Any]) -> Call:
    order = ("input", "size", "scale_factor", "mode", "align_corners")
    given = {"size": None, "scale_factor": None, "mode": "nearest", "align_corners": None,
             **dict(zip(order, args, strict=False)), **kwargs}  # fmt: skip
    n = given["input"].ndim - 2
    size, factor = ([v] * n if isinstance(v, int | float) else v
                    for v in (given["size"], given["scale_factor"]))  # fmt: skip
    mode = given["mode"]
    arguments = [given["input"], size]
    if mode in ("linear", "bilinear", "bicubic", "trilinear"):
        arguments.append(bool(given["align_corners"]))
    factors = None if factor is None else [float(f) for f in factor]
    if mode == "area":
        return f"aten::adaptive_avg_pool{n}d", [given["input"], list(results[0].shape[2:])], results
    return f"aten::upsample_{mode.replace('-', '_')}{n}d", [*arguments, factors], results


def _embedding(args: Any, kwargs: Any, results: list[Any]) -> Call:
    order = ("input", "weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq",
             "sparse")  # fmt: skip
    given = {"padding_idx": None, "scale_grad_by_freq": False, "sparse": False,
             **dict(zip(order, args, strict=False)), **kwargs}  # fmt: skip
    padding = -1 if given["padding_idx"] is None else given["padding_idx"]
    rest = [padding, bool(given["scale_grad_by_freq"]), bool(given["sparse"])]
    return "aten::embedding", [given["weight"], given["input"], *rest], results


def _sampled(args: Any, kwargs: Any, results: list[Any]) -> Call:
    order = ("input", "grid", "mode", "padding_mode", "align_corners")
    given = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": None,
             **dict(zip(order, args, strict=False)), **kwargs}  # fmt: skip
    mode = ("bilinear", "nearest", "bicubic").index(given["mode"])
    padding = ("zeros", "border", "reflection").index(given["padding_mode"])
    arguments = [given["input"], given["grid"], mode, padding, bool(given["align_corners"])]
    return "aten::grid_sampler", arguments, results


# ---- functions that are calls of others in PyTorch too -------------------------------------------


def _attention(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Any, out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None,
    need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, **others: Any,
) -> Any:  # fmt: skip
    """The products of an attention layer: what those who count or draw want to see of it."""
    F = torch.nn.functional
    weights = (q_proj_weight, k_proj_weight, v_proj_weight)
    if not use_separate_proj_weight:
        weights = in_proj_weight.chunk(3)
    biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
    if query is key and key is value and not use_separate_proj_weight:
        parts = F.linear(query, in_proj_weight, in_proj_bias).chunk(3, -1)
    else:
        parts = [F.linear(*one) for one in zip((query, key, value), weights, biases, strict=True)]
    parts = list(parts)
    if bias_k is not None:
        one = (1,) * (query.ndim - 1) + (-1,)
        for k, bias in ((1, bias_k), (2, bias_v)):
            shape = (1, *parts[k].shape[1:])
            parts[k] = torch.cat([parts[k], bias.reshape(one).expand(shape)])
    heads = [part.reshape(part.shape[0], -1, part.shape[-1] // num_heads) for part in parts]
    q, k, v = (part.transpose(0, 1) for part in heads)
    if need_weights:
        scores = torch.bmm(q * (q.shape[-1] ** -0.5), k.transpose(-2, -1))
        mixed = torch.bmm(F.softmax(scores, -1), v)
    else:
        mixed = F.scaled_dot_product_attention(q, k, v)
    rows = mixed.transpose(0, 1).reshape(-1, out_proj_weight.shape[1])
    return F.linear(rows, out_proj_weight, out_proj_bias).view(query.shape)


COMPOSITES = {"multi_head_attention_forward": _attention}
