"""Ops of networks, linear algebra and random numbers as operators of PyTorch: see `lowering`."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.value import make
from ..ops.dtypes import from_numpy_dtype
from ..ops.schema import TABLE
from .asking import disabled, is_asked
from .call_table import NUMBERED
from .calls import NOTES, aten
from .lowering import LOWERED, lowered


def bare(t: Any) -> Any:
    """A tensor without its history, to be kept for a gradient."""
    if t is None or not t._rg:
        return t
    from .level import twin

    return twin(t)


# ---- products ------------------------------------------------------------------------------------


def _note_layout(b: Any) -> None:
    """Whether the second factor is a transposed matrix: its gradient is one too then."""
    NOTES.extra = {"turned": tuple(b.stride()) == (1, b.shape[0])}


@lowered()
def mm(a: Any, b: Any) -> Any:
    _note_layout(b)
    return aten("mm.default", a, b)


@lowered()
def addmm(c: Any, a: Any, b: Any, *, beta: Any, alpha: Any) -> Any:
    _note_layout(b)
    return aten("addmm.default", c, a, b, beta=beta, alpha=alpha)


# ---- activations ---------------------------------------------------------------------------------

LOWERED["prelu"] = LOWERED["lu_unpack"] = lambda *args: NotImplemented
LOWERED["logsigmoid"] = lambda x: aten("log_sigmoid_forward.default", x)[0]


# ---- losses --------------------------------------------------------------------------------------


@lowered("nll_loss", "nll_loss2d")
def nll_loss(
    x: Any, target: Any, w: Any, *, axis: int, ignore: int, reduction: str, weighted: bool
) -> Any:
    if x.ndim not in (1, 2, 4):
        return NotImplemented
    name = "nll_loss2d_forward" if x.ndim == 4 else "nll_loss_forward"
    weight = w if weighted else None
    loss, total = aten(f"{name}.default", x, target, weight, NUMBERED[reduction], ignore)
    NOTES.extra = {"x": bare(x), "total_weight": total}
    return loss


# ---- convolution and pooling ---------------------------------------------------------------------


@lowered("convolution", "convolution_no_bias")
def convolution(
    x: Any, w: Any, b: Any = None, *, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    NOTES.extra = {"x": bare(x), "w": bare(w)}
    return aten(
        "convolution.default", x, w, b, list(stride), list(padding), list(dilation), False,
        [0] * len(stride), groups,
    )  # fmt: skip


@lowered()
def conv_input(
    y: Any, w: Any, *, spatial: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    parts = zip(y.shape[2:], spatial, w.shape[2:], stride, padding, dilation, strict=True)
    extra = [n - ((m - 1) * s - 2 * p + d * (k - 1) + 1) for m, n, k, s, p, d in parts]
    if min(extra, default=0) < 0:
        return NotImplemented
    return aten(
        "convolution.default", y, w, None, list(stride), list(padding), list(dilation), True,
        extra, groups,
    )  # fmt: skip


def _pools(nd: int) -> Any:
    def function(
        x: Any, *, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
    ) -> Any:
        stride = [] if list(stride) == list(kernel) else list(stride)
        values, places = aten(
            f"max_pool{nd}d_with_indices.default", x, list(kernel), stride, list(padding),
            list(dilation), ceil,
        )  # fmt: skip
        NOTES.extra = {"places": places}
        return values

    return function


LOWERED["max_pool2d"], LOWERED["max_pool3d"] = _pools(2), _pools(3)


def _averages(nd: int) -> Any:
    def function(
        x: Any, *, kernel: Any, stride: Any, padding: Any, ceil: bool, include_pad: bool,
        divisor: int,
    ) -> Any:  # fmt: skip
        stride = [] if list(stride) == list(kernel) else list(stride)
        args: list[Any] = [x, list(kernel), stride, list(padding), ceil, include_pad]
        if nd > 1:
            args.append(divisor or None)
        elif divisor:
            return NotImplemented
        NOTES.extra = {"x": bare(x)}
        return aten(f"avg_pool{nd}d.default", *args)

    return function


for _nd in (1, 2, 3):
    LOWERED[f"avg_pool{_nd}d"] = _averages(_nd)


# ---- norms, embeddings, attention ----------------------------------------------------------------


@lowered()
def layer_norm(
    x: Any, w: Any, b: Any, *, view: Any, axes: Any, channel: Any, eps: float, affine: Any
) -> Any:
    size = math.prod(view[a] for a in axes)
    count, shape = 1, []
    for n in reversed(x.shape):
        shape.insert(0, n)
        count *= n
        if count == size and len(shape) >= 1:
            break
    weight = w.reshape(shape) if affine[0] and list(w.shape) != shape else w
    bias = b.reshape(shape) if affine[1] and list(b.shape) != shape else b
    weight, bias = weight if affine[0] else None, bias if affine[1] else None
    out, mean, rstd = aten("native_layer_norm.default", x, shape, weight, bias, eps)
    NOTES.extra = {"mean": mean, "rstd": rstd, "shape": shape, "w": bare(weight), "b": bare(bias)}
    return out


@lowered()
def group_norm(
    x: Any, w: Any, b: Any, *, view: Any, axes: Any, channel: Any, eps: float, affine: Any
) -> Any:
    rest = math.prod(x.shape[2:])
    groups = view[1]
    weight, bias = w if affine[0] else None, b if affine[1] else None
    out, mean, rstd = aten(
        "native_group_norm.default", x, weight, bias, x.shape[0], x.shape[1], rest, groups, eps
    )
    NOTES.extra = {"mean": mean, "rstd": rstd, "w": bare(weight)}
    return out


@lowered()
def attention(q: Any, k: Any, v: Any, bias: Any, *, scale: float, causal: bool, masked: str) -> Any:
    if masked or q.ndim != 4:
        return NotImplemented
    named = {} if math.isclose(scale, q.shape[-1] ** -0.5) else {"scale": scale}
    out, sums = aten(
        "_scaled_dot_product_flash_attention_for_cpu.default", q, k, v, 0.0, causal, **named
    )
    if any(is_asked(t) for t in (q, k, v, out)):
        return out, sums, sums  # their gradients are put together of q, k and v
    with disabled():
        op = TABLE["attention"]
        kept = op.forward(q._a, k._a, v._a, bias._a, scale=scale, causal=causal, masked=masked)
    return out, make(kept[1]), make(kept[2])


# ---- random numbers ------------------------------------------------------------------------------


def _device() -> Any:
    from ..tensor.device import CPU

    return CPU


def _dtype(dtype: Any) -> dict[str, Any]:
    from ..ops.dtypes import get_default_dtype

    kind = from_numpy_dtype(dtype)
    return {} if kind is get_default_dtype() else {"dtype": kind}


@lowered()
def draw_normal(*, shape: Any, dtype: Any, mean: float, std: float, generator: Any) -> Any:
    if mean != 0 or std != 1:
        return NotImplemented
    if generator is not None:
        return aten("randn.generator", list(shape), generator=generator, **_dtype(dtype),
                    device=_device(), pin_memory=False)  # fmt: skip
    return aten("randn.default", list(shape), **_dtype(dtype), device=_device(), pin_memory=False)


@lowered()
def draw_uniform(*, shape: Any, dtype: Any, low: float, high: float, generator: Any) -> Any:
    if low != 0 or high != 1:
        return NotImplemented
    if generator is not None:
        return aten("rand.generator", list(shape), generator=generator, **_dtype(dtype),
                    device=_device(), pin_memory=False)  # fmt: skip
    return aten("rand.default", list(shape), **_dtype(dtype), device=_device(), pin_memory=False)


@lowered()
def draw_integers(*, shape: Any, dtype: Any, low: int, high: int, generator: Any) -> Any:
    if generator is not None:
        return NotImplemented
    kind = from_numpy_dtype(dtype)
    named = {} if kind.name == "int64" else {"dtype": kind}
    named |= {"device": _device(), "pin_memory": False}
    if low:
        return aten("randint.low", low, high, list(shape), **named)
    return aten("randint.default", high, list(shape), **named)


@lowered()
def draw_permutation(*, n: int, dtype: Any, generator: Any) -> Any:
    if generator is not None:
        return NotImplemented
    kind = from_numpy_dtype(dtype)
    named = {} if kind.name == "int64" else {"dtype": kind}
    return aten("randperm.default", n, **named, device=_device(), pin_memory=False)


@lowered()
def fill_uniform(x: Any, *, low: float, high: float, generator: Any) -> Any:
    if low != 0 or high != 1 or generator is not None:
        return NotImplemented
    return aten("rand_like.default", x, pin_memory=False)


@lowered()
def fill_normal(x: Any, *, mean: float, std: float, generator: Any) -> Any:
    if mean != 0 or std != 1 or generator is not None:
        return NotImplemented
    return aten("randn_like.default", x, pin_memory=False)
