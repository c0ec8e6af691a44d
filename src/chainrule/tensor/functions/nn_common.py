"""What the functions of `nn.functional` share: reductions, stand-ins, node names, writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd import refusal, source
from ...autograd.inplace import assign, begin_at_root
from ...autograd.record import OpNode
from ...autograd.state import STATE
from ...autograd.value import TensorBase, make
from ...ops.layout import has_channels_last
from ..layouts import channels_last, channels_last_3d

_REDUCTIONS = ("none", "mean", "sum")
_renamed: dict[tuple[Any, ...], type] = {}


def named(t: Any, name: str, flat: bool = False, dead: bool = False) -> Any:
    """t, with its node under the name PyTorch shows for the whole function.

    `flat`: its gradient belongs to its first input although it is constant in it; `dead`: that of
    its second input, a bias, leads nowhere (`autograd/ties.py`).
    """
    node = t._node
    if isinstance(node, OpNode):
        key = (node.__class__, name, flat, dead)
        if key not in _renamed:
            space: dict[str, Any] = {"__slots__": ()}
            if flat:
                space["flat"] = (0,)
            if dead:
                space["dead"] = (1,)
            _renamed[key] = type(name, (node.__class__,), space)
        node.__class__ = _renamed[key]
    return t


def lying_as(result: Any, input: Any) -> Any:
    """The result with channels last in memory if the input has them last."""
    if input._level is not None or not has_channels_last(input._a):
        return result
    return result.contiguous(memory_format=channels_last if result.ndim == 4 else channels_last_3d)


def stand_in(x: Any) -> Any:
    """A 0-dim one of x's type, in the place of an absent input."""
    return make(np.ones((), x.dtype.np))


def reduction_of(size_average: Any, reduce: Any, reduction: str) -> str:
    """The reduction, also from the two deprecated flags."""
    if size_average is not None or reduce is not None:
        reduce = True if reduce is None else reduce
        average = True if size_average is None else size_average
        reduction = ("mean" if average else "sum") if reduce else "none"
        source.warn_user(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' "
            "instead.",
        )
    return check_reduction(reduction)


def check_reduction(reduction: str) -> str:
    """The reduction, if it is one."""
    if reduction not in _REDUCTIONS:
        raise refusal.value(
            f"{reduction} is not a valid value for reduction",
            fix=f"use one of {', '.join(map(repr, _REDUCTIONS))}.",
        )
    return reduction


def reduced(loss: Any, reduction: str) -> Any:
    """A loss per element, reduced."""
    if reduction == "mean":
        return loss.mean()
    return loss.sum() if reduction == "sum" else loss


def into(input: Any, function: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
    """The function's value written into its input, with history."""
    # Rules may save the input, whose memory is about to change: compute from a copy then.
    begin_at_root(input)
    value = input.clone() if STATE.grad_enabled and input._rg else input
    return assign(input, function(value, *args, **kwargs), name)


def check_tensors(name: str, input: Any, target: Any) -> None:
    """Prediction and target of a loss must be tensors."""
    for position, (which, x) in enumerate((("input", input), ("target", target))):
        if not isinstance(x, TensorBase):
            kind = type(x).__name__
            raise refusal.wrong_type(
                f"{name}(): argument '{which}' (position {position + 1}) must be Tensor, not "
                f"{kind} ('{kind}' object has no attribute 'size')",
                f"It is {_shortened(x)}",
                fix=f"{which}=torch.tensor({which}), with the type and shape that the loss "
                "compares.",
            )


def _shortened(x: Any) -> str:
    text = repr(x)
    return text if len(text) <= 60 else text[:57] + "..."


def same_size(input: Any, target: Any) -> tuple[Any, Any]:
    """Prediction and target broadcast to one shape, with a warning when that changes anything."""
    a, b = tuple(input.shape), tuple(target.shape)
    if a == b:
        return input, target
    source.warn_user(
        f"Using a target size ({target.shape!r}) that is different to the input size "
        f"({input.shape!r}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
    )
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        raise refusal.runtime(
            f"The size of tensor a ({a[-1] if a else 1}) must match the size of tensor b "
            f"({b[-1] if b else 1}): a prediction of shape {list(a)} and a target of shape "
            f"{list(b)} do not broadcast"
        ) from None
    return input.expand(shape), target.expand(shape)


def whole_numbers(value: Any, name: str) -> tuple[int, ...]:
    """The whole numbers of a sequence; text and bytes are none, and nothing is rounded."""
    wrong = value if isinstance(value, str | bytes | bytearray) else None
    if wrong is None:
        found = tuple(value)
        lacking = [v for v in found if v.__class__ is not int and not hasattr(v, "__index__")]
        if not lacking:
            return tuple(map(int, found))
        wrong = lacking[0]
    raise refusal.wrong_type(
        f"argument '{name}' must be tuple of ints, not {type(wrong).__name__}",
        f"It is {value!r:.60}",
    )


def as_tuple(value: Any, n: int, name: str) -> tuple[int, ...]:
    """An int or a sequence of 1 or n ints as n ints."""
    if isinstance(value, int) or hasattr(value, "__index__"):
        return (int(value),) * n
    values = whole_numbers(value, name)
    if len(values) == 1:
        return values * n
    if len(values) != n:
        raise refusal.runtime(
            f"expected {name} to be a single integer value or a list of {n} values to match the "
            f"convolution dimensions, but got {name}={list(values)}"
        )
    return values
