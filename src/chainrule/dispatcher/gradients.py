"""Backward formulas that are operators of their own in PyTorch, for passes that handlers see.

Without a formula here the rules of the op run, each op of them put before the handlers. Passes that
record (`create_graph`) always take the rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..ops.dtypes import from_numpy_dtype
from .call_table import NUMBERED
from .calls import aten

Values = dict[str, Any]
GRADIENTS: dict[str, Callable[..., Any]] = {}
_LAST = 9223372036854775807
# Ops of which PyTorch saves no result, though rules here name it.
UNSAVED = frozenset(("pow", "max_pool2d", "max_pool3d", "attention"))


def gradient(*names: str) -> Callable[[Any], Any]:
    """Declare the formula of ops: f(g, values, mask, extra) gives one gradient per input."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (function.__name__,):
            GRADIENTS[name] = function
        return function

    return register


def _is_real(*tensors: Any) -> bool:
    return not any(t.dtype.is_complex for t in tensors)


def _single(kernel: Callable[[Any, Values], Any]) -> Callable[..., Any]:
    def function(g: Any, v: Values, mask: Any, extra: Any) -> Any:
        return (kernel(g, v),) if _is_real(g) else None

    return function


GRADIENTS |= {
    name: _single(kernel)
    for name, kernel in {
        "relu": lambda g, v: aten("threshold_backward.default", g, v["out"], 0),
        "threshold": lambda g, v: aten("threshold_backward.default", g, v["x"], v["limit"]),
        "sigmoid": lambda g, v: aten("sigmoid_backward.default", g, v["out"]),
        "tanh": lambda g, v: aten("tanh_backward.default", g, v["out"]),
        "softmax": lambda g, v: aten(
            "_softmax_backward_data.default", g, v["out"], v["axis"], g.dtype
        ),
        "log_softmax": lambda g, v: aten(
            "_log_softmax_backward_data.default", g, v["out"], v["axis"], g.dtype
        ),
        "gelu": lambda g, v: aten("gelu_backward.default", g, v["x"], **(
            {} if v["approximate"] == "none" else {"approximate": v["approximate"]}
        )),
        "unsqueeze": lambda g, v: aten("squeeze.dim", g, v["axis"]),
        "sqrt": lambda g, v: aten("div.Tensor", g, aten("mul.Scalar", v["out"], 2)),
        "log": lambda g, v: aten("div.Tensor", g, v["x"]),
        "square": lambda g, v: _power(g, v["x"], 2),
        "silu": lambda g, v: aten("silu_backward.default", g, v["x"]),
        "mish": lambda g, v: aten("mish_backward.default", g, v["x"]),
        "hardswish": lambda g, v: aten("hardswish_backward.default", g, v["x"]),
        "hardsigmoid": lambda g, v: aten("hardsigmoid_backward.default", g, v["x"]),
        "leaky_relu": lambda g, v: aten(
            "leaky_relu_backward.default", g, v["x"], v["slope"], False
        ),
        "hardtanh": lambda g, v: aten(
            "hardtanh_backward.default", g, v["x"], v["low"], v["high"]
        ),
        "softplus": lambda g, v: aten(
            "softplus_backward.default", g, v["x"], v["beta"], v["threshold"]
        ),
        "elu": lambda g, v: aten(
            "elu_backward.default", g, v["alpha"], v["scale"], v["rate"], False, v["x"]
        ),
        "select": lambda g, v: aten(
            "select_backward.default", g, list(v["x_shape"]), v["axis"], v["index"]
        ),
        "slice_axis": lambda g, v: aten(
            "slice_backward.default", g, list(v["x_shape"]), v["axis"],
            0 if v["start"] is None else v["start"],
            _LAST if v["stop"] is None else v["stop"], v["step"] or 1,
        ),
        "t": lambda g, v: aten("t.default", g),
    }.items()
}  # fmt: skip


def _pairwise(name: str, *extra_names: str) -> None:
    def function(g: Any, v: Values, mask: Any, extra: Any) -> Any:
        more = [v[n] for n in extra_names]
        reduction = NUMBERED[v["reduction"]]
        one = None
        if mask[0]:
            one = aten(f"{name}_backward.default", g, v["x"], v["y"], reduction, *more)
        other = None
        if mask[1]:
            other = aten(f"{name}_backward.default", g, v["y"], v["x"], reduction, *more)
        return (one, other)

    GRADIENTS[name] = function


_pairwise("mse_loss")
_pairwise("smooth_l1_loss", "beta")
_pairwise("huber_loss", "delta")


@gradient("nll_loss", "nll_loss2d")
def nll_loss(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if extra is None:
        return None
    name = "nll_loss2d_backward" if len(v["x_shape"]) == 4 else "nll_loss_backward"
    made = aten(
        f"{name}.default", g, extra["x"], v["target"], v["w"] if v["weighted"] else None,
        NUMBERED[v["reduction"]], v["ignore"], extra["total_weight"],
    )  # fmt: skip
    return (made, None, None)


# ---- arithmetic ----------------------------------------------------------------------------------


def _power(g: Any, x: Any, exponent: Any) -> Any:
    inner = aten("pow.Tensor_Scalar", x, exponent - 1)
    return aten("mul.Tensor", g, aten("mul.Scalar", inner, exponent))


@gradient("pow")
def power(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if not _is_real(g) or not isinstance(v["b"], int | float) or v["b"] == 0:
        return None
    return (_power(g, v["a"], v["b"]), None)


@gradient()
def div(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if not _is_real(g) or not hasattr(v["b"], "dtype"):
        return None
    a = b = None
    if mask[0]:
        a = aten("div.Tensor", g, v["b"])
    if mask[1]:
        if not hasattr(v["a"], "dtype"):
            return None
        inner = aten("div.Tensor", aten("div.Tensor", v["a"], v["b"]), v["b"])
        b = aten("mul.Tensor", aten("neg.default", g), inner)
    return (a, b)


# ---- products ------------------------------------------------------------------------------------


@gradient()
def mm(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if not _is_real(g):
        return None
    b = _by_second(g, v["a"], extra) if mask[1] else None
    a = aten("mm.default", g, aten("t.default", v["b"])) if mask[0] else None
    return (a, b)


def _by_second(g: Any, a: Any, extra: Any) -> Any:
    """The gradient of a product by its second factor, in the layout of that."""
    if extra is not None and extra["turned"]:
        return aten("t.default", aten("mm.default", aten("t.default", g), a))
    return aten("mm.default", aten("t.default", a), g)


@gradient()
def bmm(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if not _is_real(g):
        return None
    b = aten("bmm.default", aten("transpose.int", v["a"], 1, 2), g) if mask[1] else None
    a = aten("bmm.default", g, aten("transpose.int", v["b"], 1, 2)) if mask[0] else None
    return (a, b)


@gradient()
def addmm(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if not _is_real(g) or v["beta"] != 1 or v["alpha"] != 1:
        return None
    a = b = c = None
    if mask[1]:
        a = aten("mm.default", g, aten("t.default", v["b"]))
    if mask[2]:
        b = _by_second(g, v["a"], extra)
    if mask[0]:
        c = g
    return (c, a, b)


# ---- networks ------------------------------------------------------------------------------------


@gradient("convolution", "convolution_no_bias")
def convolution(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if extra is None or not _is_real(g):
        return None
    mask = (*mask, False, False)[:3]
    sizes = [extra["w"].shape[0]] if mask[2] else [0]
    made = aten(
        "convolution_backward.default", g, extra["x"], extra["w"], sizes, list(v["stride"]),
        list(v["padding"]), list(v["dilation"]), False, [0] * len(v["stride"]), v["groups"],
        list(mask),
    )  # fmt: skip
    return made


@gradient()
def layer_norm(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if extra is None:
        return None
    return aten(
        "native_layer_norm_backward.default", g, v["x"], extra["shape"], extra["mean"],
        extra["rstd"], extra["w"], extra["b"], list(mask),
    )  # fmt: skip


@gradient()
def group_norm(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if extra is None:
        return None
    n, c, *rest = v["x"].shape
    return aten(
        "native_group_norm_backward.default", g, v["x"], extra["mean"], extra["rstd"], extra["w"],
        n, c, math.prod(rest), v["view"][1], list(mask),
    )  # fmt: skip


@gradient()
def max_pool2d(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if extra is None:
        return None
    stride = [] if list(v["stride"]) == list(v["kernel"]) else list(v["stride"])
    made = aten(
        "max_pool2d_with_indices_backward.default", g, v["x"], list(v["kernel"]), stride,
        list(v["padding"]), list(v["dilation"]), v["ceil"], extra["places"],
    )  # fmt: skip
    return (made,)


@gradient()
def avg_pool2d(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    if extra is None:
        return None
    stride = [] if list(v["stride"]) == list(v["kernel"]) else list(v["stride"])
    made = aten(
        "avg_pool2d_backward.default", g, extra["x"], list(v["kernel"]), stride,
        list(v["padding"]), v["ceil"], v["include_pad"], v["divisor"] or None,
    )  # fmt: skip
    return (made,)


# ---- reductions and shapes -----------------------------------------------------------------------


@gradient()
def reduce_mean(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    shape, axis = v["x_shape"], v["axis"]
    if not v["keepdims"] and len(axis) != len(shape):
        for a in sorted(axis):
            g = aten("unsqueeze.default", g, a)
    count = math.prod(shape[a] for a in axis)
    return (aten("div.Scalar", aten("expand.default", g, list(shape)), count),)


@gradient()
def reduce_sum(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    shape, axis = v["x_shape"], v["axis"]
    if not v["keepdims"] and len(axis) != len(shape):
        for a in sorted(axis):
            g = aten("unsqueeze.default", g, a)
    return (aten("expand.default", g, list(shape)),)


@gradient()
def broadcast_to(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    return (summed_to(g, v["x_shape"]),)


@gradient()
def cast(g: Any, v: Values, mask: Any, extra: Any) -> Any:
    from ..tensor.device import CPU
    from ..tensor.layouts import strided

    dtype = from_numpy_dtype(v["x_dtype"])
    return (aten("_to_copy.default", g, dtype=dtype, layout=strided, device=CPU),)


def summed_to(g: Any, shape: tuple[int, ...]) -> Any:
    """A gradient summed over the dimensions along which an operand was repeated."""
    lead = len(g.shape) - len(shape)
    axes = list(range(lead)) + [
        i + lead for i, n in enumerate(shape) if n == 1 and g.shape[i + lead] != 1
    ]
    if axes:
        g = aten("sum.dim_IntList", g, axes, True)
    return g if tuple(g.shape) == tuple(shape) else aten("view.default", g, list(shape))
