"""Floating-point operations of the ops that are products: a multiplication and an addition each.

The formulas are those that PyTorch's counter states for mm, addmm, bmm, baddbmm, convolution, its
backward, and attention. Everything else counts nothing: it is bound by memory, not arithmetic.
Fused recurrent layers are counted by the products they consist of.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

Shape = tuple[int, ...]
Count = dict[str, int]  # by PyTorch's name of the kernel


class Work(NamedTuple):
    """The column `work` of an op: what computing it takes, and what its gradients take."""

    forward: Callable[[list[Shape], Shape], Count]
    backward: Callable[[dict[str, Shape], Shape, tuple[bool, ...]], Count]


def forward_flops(op: Any, shapes: list[Shape], outs: list[Shape]) -> Count:
    """What computing an op takes; `shapes` and `outs` are those of its arrays."""
    work: Work | None = getattr(op, "work", None)
    return {} if work is None else work.forward(shapes, outs[0])


def backward_flops(op: Any, saved: dict[str, Shape], g: Shape, wanted: tuple[bool, ...]) -> Count:
    """What the gradients of the wanted inputs take.

    `saved` has the shapes of the arrays that the op saved, by name, and the shapes it saved
    (`x_shape`).
    """
    work: Work | None = getattr(op, "work", None)
    return {} if work is None else work.backward(saved, g, wanted)


# ---- products ------------------------------------------------------------------------------------


def product(
    kernel: str, back: str, a: str = "a", b: str = "b", *, inner: int = -2, first: int = 0
) -> Work:
    """The work of a product of the inputs `a` and `b`, `first` and the one after it.

    `inner` is the axis of b that is summed over. Both gradients are products of the same size.
    """

    def forward(shapes: list[Shape], out: Shape) -> Count:
        return {_batched(kernel, out): 2 * math.prod(out) * shapes[first][-1]}

    def backward(saved: dict[str, Shape], g: Shape, wanted: tuple[bool, ...]) -> Count:
        summed = saved[b][inner] if b in saved else saved[a][-1] if a in saved else 0
        each = 2 * math.prod(g) * summed
        return {_batched(back, g): each * (bool(wanted[first]) + bool(wanted[first + 1]))}

    return Work(forward, backward)


def _batched(kernel: str, out: Shape) -> str:
    return "bmm" if kernel == "mm" and len(out) > 2 else kernel


# ---- convolutions --------------------------------------------------------------------------------


def _windows(x: Shape, w: Shape, out: Shape, transposed: bool = False) -> int:
    positions = math.prod((x if transposed else out)[2:])
    return 2 * positions * math.prod(w[2:]) * x[0] * w[0] * w[1]


def _swapped(shape: Shape) -> Shape:
    return (shape[1], shape[0], *shape[2:])


def _convolution(shapes: list[Shape], out: Shape) -> Count:
    return {"convolution": _windows(shapes[0], shapes[1], out)}


def _convolution_backward(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
    total = 0
    if wanted[0]:
        total += _windows(g, saved["w"], g, transposed=True)
    if wanted[1]:
        total += _windows(_swapped(saved["x"]), _swapped(g), _swapped(saved["w_shape"]))
    return {"convolution_backward": total}


def _transposed(shapes: list[Shape], out: Shape) -> Count:
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


def _attention(shapes: list[Shape], out: Shape) -> Count:
    return {"scaled_dot_product_attention": sum(_attention_size(*shapes[:3]))}


def _attention_backward(saved: dict[str, Shape], g: Shape, wanted: Any) -> Count:
    scores, values = _attention_size(saved["q"], saved["k"], saved["v"])
    return {"scaled_dot_product_attention_backward": 3 * scores + 2 * values}


def recurrent(first: int) -> Work:
    """The work of a layer whose weights are the inputs `first` and the one after it."""

    def forward(shapes: list[Shape], out: Shape) -> Count:
        weights = math.prod(shapes[first]) + math.prod(shapes[first + 1])
        return {"addmm": 2 * shapes[0][0] * weights}

    def backward(saved: dict[str, Shape], g: Shape, wanted: tuple[bool, ...]) -> Count:
        w_ih, w_hh = math.prod(saved["w_ih"]), math.prod(saved["w_hh"])
        own = w_ih * (bool(wanted[0]) + bool(wanted[first]))
        return {"mm": 2 * saved["x"][0] * (own + w_hh * (1 + bool(wanted[first + 1])))}

    return Work(forward, backward)


CONVOLUTION = Work(_convolution, _convolution_backward)
TRANSPOSED_CONVOLUTION = Work(_transposed, _transposed_backward)
ATTENTION = Work(_attention, _attention_backward)
