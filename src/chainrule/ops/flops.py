"""Floating-point operations of the ops that are products: a multiplication and an addition each.

The formulas are those that PyTorch's counter states for mm, addmm, bmm, baddbmm, convolution, its
backward, and attention. Everything else counts nothing: it is bound by memory, not arithmetic.
Fused recurrent layers are counted by the products they consist of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

Shape = tuple[int, ...]
Count = dict[str, int]  # by PyTorch's name of the kernel


def forward_flops(name: str, shapes: list[Shape], outs: list[Shape], params: Any) -> Count:
    """What computing an op takes; `shapes` and `outs` are those of its arrays."""
    rule = _FORWARD.get(name)
    return rule(shapes, outs[0], params) if rule is not None else {}


def backward_flops(name: str, saved: dict[str, Shape], g: Shape, wanted: tuple[bool, ...]) -> Count:
    """What the gradients of the wanted inputs take.

    `saved` has the shapes of the arrays that the op saved, by name, and the shapes it saved
    (`x_shape`).
    """
    rule = _BACKWARD.get(name)
    return rule(saved, g, wanted) if rule is not None else {}


# ---- products ------------------------------------------------------------------------------------


def _product(kernel: str, inner: Callable[[list[Shape]], int]) -> Any:
    def count(shapes: list[Shape], out: Shape, params: Any) -> Count:
        return {kernel: 2 * math.prod(out) * inner(shapes)}

    return count


def _matmul(shapes: list[Shape], out: Shape, params: Any) -> Count:
    kernel = "mm" if len(shapes[0]) == len(shapes[1]) == 2 else "bmm"
    return {kernel: 2 * math.prod(out) * shapes[0][-1]}


def _product_backward(kernel: str, a: str, b: str, inner_of_b: int, first: int) -> Any:
    """Both gradients of a product are products of the same size."""

    def count(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
        inner = saved[b][inner_of_b] if b in saved else saved[a][-1] if a in saved else 0
        each = 2 * math.prod(g) * inner
        name = "bmm" if kernel == "mm" and len(g) > 2 else kernel
        return {name: each * (bool(wanted[first]) + bool(wanted[first + 1]))}

    return count


# ---- convolutions --------------------------------------------------------------------------------


def _windows(x: Shape, w: Shape, out: Shape, transposed: bool = False) -> int:
    positions = math.prod((x if transposed else out)[2:])
    return 2 * positions * math.prod(w[2:]) * x[0] * w[0] * w[1]


def _swapped(shape: Shape) -> Shape:
    return (shape[1], shape[0], *shape[2:])


def _convolution(shapes: list[Shape], out: Shape, params: Any) -> Count:
    return {"convolution": _windows(shapes[0], shapes[1], out)}


def _convolution_backward(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
    total = 0
    if wanted[0]:
        total += _windows(g, saved["w"], g, transposed=True)
    if wanted[1]:
        total += _windows(_swapped(saved["x"]), _swapped(g), _swapped(saved["w_shape"]))
    return {"convolution_backward": total}


def _transposed(shapes: list[Shape], out: Shape, params: Any) -> Count:
    return {"convolution": _windows(shapes[0], shapes[1], out, transposed=True)}


def _transposed_backward(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
    total = 0
    if wanted[0]:
        total += _windows(g, saved["w"], saved["y_shape"])
    if wanted[1]:
        total += _windows(_swapped(g), _swapped(saved["y"]), _swapped(saved["w_shape"]))
    return {"convolution_backward": total}


# ---- attention and recurrence --------------------------------------------------------------------


def _attention_size(q: Shape, k: Shape, v: Shape) -> tuple[int, int]:
    pairs = math.prod(q[:-1]) * k[-2]
    return 2 * pairs * q[-1], 2 * pairs * v[-1]


def _attention(shapes: list[Shape], out: Shape, params: Any) -> Count:
    return {"scaled_dot_product_attention": sum(_attention_size(*shapes[:3]))}


def _attention_backward(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
    scores, values = _attention_size(saved["q"], saved["k"], saved["v"])
    return {"scaled_dot_product_attention_backward": 3 * scores + 2 * values}


def _recurrent(first_weight: int) -> Any:
    def count(shapes: list[Shape], out: Shape, params: Any) -> Count:
        rows = shapes[0][0]
        w_ih, w_hh = shapes[first_weight], shapes[first_weight + 1]
        return {"addmm": 2 * rows * (math.prod(w_ih) + math.prod(w_hh))}

    return count


def _recurrent_backward(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
    rows = saved["x"][0]
    w_ih, w_hh = math.prod(saved["w_ih"]), math.prod(saved["w_hh"])
    first = 3 if len(wanted) > 6 else 2  # an LSTM has two states before its weights
    own = w_ih * (bool(wanted[0]) + bool(wanted[first]))
    return {"mm": 2 * rows * (own + w_hh * (1 + bool(wanted[first + 1])))}


_FORWARD: dict[str, Any] = {
    "addmm": _product("addmm", lambda s: s[1][-1]),
    "attention": _attention,
    "baddbmm": _product("baddbmm", lambda s: s[1][-1]),
    "bmm": _product("bmm", lambda s: s[0][-1]),
    "conv_input": _transposed,
    "convolution": _convolution,
    "convolution_no_bias": _convolution,
    "gru_layer": _recurrent(2),
    "linear2d": _product("addmm", lambda s: s[0][-1]),
    "linear2d_no_bias": _product("mm", lambda s: s[0][-1]),
    "lstm_layer": _recurrent(3),
    "matmul": _matmul,
    "mm": _product("mm", lambda s: s[0][-1]),
    "rnn_layer": _recurrent(2),
}
_BACKWARD: dict[str, Any] = {
    "addmm": _product_backward("mm", "a", "b", -2, 1),
    "attention": _attention_backward,
    "baddbmm": _product_backward("bmm", "a", "b", -2, 1),
    "bmm": _product_backward("bmm", "a", "b", -2, 0),
    "conv_input": _transposed_backward,
    "convolution": _convolution_backward,
    "convolution_no_bias": _convolution_backward,
    "gru_layer": _recurrent_backward,
    "linear2d": _product_backward("mm", "x", "w", -1, 0),
    "linear2d_no_bias": _product_backward("mm", "x", "w", -1, 0),
    "lstm_layer": _recurrent_backward,
    "matmul": _product_backward("mm", "a", "b", -2, 0),
    "mm": _product_backward("mm", "a", "b", -2, 0),
    "rnn_layer": _recurrent_backward,
}
