"""Why an operation gave NaN or infinity: the operands at the place, and the rule they broke.

`forward_cause` and `backward_cause` return lines of a message. The tables below hold one row per
kind of failure: a test on the operands, what it means, and what to do about it.
"""

# The tests are formulas of one operand or of two.
# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from .nonfinite import Found, extent, find, payload, show, wide
from .trees import several

Test = Callable[..., bool]


class Cause(NamedTuple):
    """One way for an element-wise operation to leave the finite numbers."""

    ops: tuple[str, ...]
    test: Test  # of the operands, as Python numbers
    means: str
    fix: str


def _always(*_: Any) -> bool:
    return True


_INF = float("inf")
_SAFE_LOG = "clamp the argument (x.clamp(min=1e-8)), or take log_softmax / logsumexp, which need no"

_OTHERS = [
    Cause(("div",), lambda a, b: a == b == 0, "0/0",
          "add a small number to the denominator, or leave the empty case out"),
    Cause(("div",), lambda a, b: abs(a) == abs(b) == _INF, "inf/inf",
          "divide before the values overflow (softmax subtracts the largest logit first)"),
    Cause(("div", "reciprocal"), lambda *xs: xs[-1] == 0, "division by zero",
          "add a small number to the denominator"),
    Cause(("div_floor", "div_trunc", "fmod", "remainder"), lambda a, b: b == 0,
          "division by zero", "leave the divisor 0 out"),
    Cause(("add", "sub"), lambda a, b: abs(a) == abs(b) == _INF, "inf - inf",
          "find what made the infinities; two of opposite sign have no sum"),
    Cause(("mul",), lambda a, b: 0 in (a, b) and _INF in (abs(a), abs(b)), "0 · inf",
          "mask with torch.where or masked_fill instead of a product: 0 times inf is nan"),
    Cause(("add", "sub", "mul", "div", "square", "pow"), _always,
          "too large for {dtype} (largest {largest})",
          "compute in a wider type, or scale the operands down"),
    Cause(("log", "log2", "log10"), lambda x: x == 0, "the logarithm of 0 is -inf",
          f"{_SAFE_LOG} logarithm of 0"),
    Cause(("log", "log2", "log10"), lambda x: x < 0, "the logarithm of a negative number",
          "keep the argument positive: clamp it, or pass it through exp or softplus"),
    Cause(("log1p",), lambda x: x <= -1, "log1p of -1 or less", "keep the argument above -1"),
    Cause(("logit",), _always, "logit outside (0, 1)", "give logit an eps, or clamp its argument"),
    Cause(("sqrt", "rsqrt"), lambda x: x < 0, "the square root of a negative number",
          "clamp the argument at 0: rounding makes differences slightly negative"),
    Cause(("rsqrt",), lambda x: x == 0, "1/sqrt(0)", "add a small number below the root"),
    Cause(("exp", "exp2", "expm1", "sinh", "cosh"), _always,
          "overflows {dtype} (largest {largest})",
          "subtract the largest value first (softmax, logsumexp), or clamp the argument"),
    Cause(("asin", "acos"), _always, "outside [-1, 1]", "clamp the argument to [-1, 1]"),
    Cause(("acosh",), _always, "below 1", "clamp the argument at 1"),
    Cause(("atanh",), _always, "not inside (-1, 1)", "clamp the argument inside (-1, 1)"),
    Cause(("sin", "cos", "tan"), lambda x: abs(x) == _INF, "an angle of infinity",
          "find what made the infinity"),
    Cause(("xlogy",), _always, "the logarithm of a negative number or of 0", "clamp the argument"),
    Cause(("lgamma", "digamma"), _always, "a pole", "keep the argument positive"),
    Cause(("cast",), _always, "does not fit into {dtype} (largest {largest})",
          "scale it down, or keep this operation in float32 (bfloat16 has float32's range)"),
]  # fmt: skip

_POWERS = [
    Cause(("pow",), lambda a, b: a == 0 and b < 0, "0 to a negative power",
          "add a small number to the base"),
    Cause(("pow",), lambda a, b: a < 0 and b != int(b) if abs(b) != _INF else False,
          "a negative number to a fractional power", "clamp the base at 0, or take its abs()"),
]  # fmt: skip
CAUSES = _POWERS + _OTHERS

# By op: what an infinite or NaN gradient from finite operands means.
STEEP = {
    "sqrt": "the slope of sqrt at 0 is infinite: 1 / (2·sqrt(0))",
    "reduce_norm": "the norm of a zero vector has no slope: x / 0",
    "euclidean_distance": "the distance of equal points has no slope: 0 / 0",
    "cdist": "the distance of equal points has no slope: 0 / 0",
    "hypot": "the distance from the origin has no slope there: 0 / 0",
    "log": "the slope of log at 0 is infinite: 1/0",
    "log2": "the slope of log2 at 0 is infinite: 1/0",
    "log10": "the slope of log10 at 0 is infinite: 1/0",
    "log1p": "the slope of log1p at -1 is infinite: 1/0",
    "pow": "the slope of a power below 1 at 0 is infinite",
    "div": "the slope of a/b at b = 0 is infinite",
    "reciprocal": "the slope of 1/x at 0 is infinite",
    "rsqrt": "the slope of 1/sqrt(x) at 0 is infinite",
    "acos": "the slope of acos at ±1 is infinite",
    "asin": "the slope of asin at ±1 is infinite",
    "atan2": "atan2(0, 0) has no slope",
    "reduce_std": "the standard deviation of equal values has no slope: 0 / 0",
    "std_mean": "the standard deviation of equal values has no slope: 0 / 0",
    "xlogy": "the slope of log at 0 is infinite: 1/0",
    "binary_cross_entropy": "the slope of log at 0 is infinite: a prediction is exactly 0 or 1",
}
_STEEP_FIX = {
    "sqrt": "(x + 1e-12).sqrt(), or choose the safe argument before the root: "
    "torch.where(x > 0, x, 1).sqrt()",
    "reduce_norm": "(x.square().sum() + 1e-12).sqrt(), or leave zero vectors out",
    "reduce_std": "add a small number to the variance before its root",
    "std_mean": "add a small number to the variance before its root",
    "binary_cross_entropy": "binary_cross_entropy_with_logits on the score before the sigmoid",
}

_MASKED = (
    "{what} {place} of the input holds only -inf: everything there is masked, and softmax has "
    "nothing to share out"
)
_MASK_FIX = "leave at least one position unmasked in every row, or replace such rows afterwards"


_INTERNAL = {"linear2d": "linear", "masked_fill_number": "masked_fill", "fill_number": "fill"}


def title(op: Any) -> str:
    """An op (or custom Function) by the name users know."""
    name = getattr(op, "name", None) or getattr(op, "__name__", "an operation")
    return _INTERNAL.get(name, name).removeprefix("reduce_")


def forward_cause(op: Any, tensors: Any, outs: Any, params: dict[str, Any]) -> list[str]:
    """Lines on why the first value of the result that is not finite came out so."""
    arrays = [payload(float(t) if isinstance(t, int) else t) for t in tensors]
    result = next((a for a in map(payload, outs) if a is not None and find(a)), None)
    if result is None:
        return []
    found = find(result)
    assert found is not None
    name = getattr(op, "name", getattr(op, "__name__", "it"))
    lines = _of_rows(name, arrays, params, found) or _of_element(op, name, arrays, result, found)
    return lines or _of_all(op, arrays, result, found)


def _of_element(
    op: Any, name: str, arrays: list[Any], result: np.ndarray, found: Found
) -> list[str]:
    """`div(0.0, 0.0) = nan at [3]: 0/0`, for operations that work element by element."""
    if getattr(op, "batch", None) != "elementwise":
        return []
    try:
        operands = [
            wide(np.broadcast_to(a, result.shape))[found.first].item()
            for a in arrays if a is not None
        ]  # fmt: skip
    except ValueError:
        return []
    shown = ", ".join(show(x) for x in operands)
    at = f" at {list(found.first)}" if found.first else ""
    text = f"{name}({shown}) = {show(found.value)}{at}"
    if name == "cast":
        text = f"{shown} became {show(found.value)}{at}"
    others = found.nan + found.inf - 1
    tail = f" ({others} more value{'s' if others > 1 else ''} so)" if others else ""
    for cause in CAUSES:
        if name in cause.ops and _holds(cause.test, operands):
            return [f"{text}: {_in_type(cause.means, result)}{tail}.", f"Fix: {cause.fix}."]
    return [f"{text}{tail}."]


def _holds(test: Test, operands: list[Any]) -> bool:
    try:
        return bool(test(*operands))
    except TypeError:  # complex operands have no order
        return False


def _in_type(text: str, result: np.ndarray) -> str:
    if "{" not in text:
        return text
    kind = result.dtype
    largest = 3.3895314e38 if kind.kind == "V" else np.finfo(kind).max  # NumPy knows no bfloat16
    return text.format(dtype=kind.name, largest=show(largest))


_ROWS = ("softmax", "log_softmax", "logsumexp", "logcumsumexp")


def _of_rows(name: str, arrays: list[Any], params: dict[str, Any], found: Found) -> list[str]:
    """Rows that softmax cannot share out, and reductions of too few values."""
    x = arrays[0] if arrays else None
    if x is None:
        return []
    if name in _ROWS and found.nan:
        axis = params.get("axis", -1)
        axis = cast("tuple[int, ...]", axis)[0] if isinstance(axis, tuple) else axis
        empty = (wide(x) == -np.inf).all(axis=axis)
        if empty.any():
            place = list(map(int, np.argwhere(empty)[0])) if empty.ndim else []
            return [
                _MASKED.format(what="row" if place else "all", place=place or "of it")
                + f" ({int(empty.sum())} such).",
                f"Fix: {_MASK_FIX}.",
            ]
        if np.isposinf(wide(x)).any():
            return ["the input holds +inf: inf - inf in the exponent.", "Fix: find what made it."]
    if name == "attention" and found.nan and (bias := arrays[3]) is not None and bias.ndim:
        empty = (wide(bias) == -np.inf).all(axis=-1)
        if empty.any():
            place = list(map(int, np.argwhere(empty)[0]))
            return [_MASKED.format(what="row", place=place) + ".", f"Fix: {_MASK_FIX}."]
    if name in (*_SPREADS, "reduce_mean", "mse_loss", "cross_entropy"):
        return _of_few(name, x, params, found)
    return []


_SPREADS = ("reduce_std", "reduce_var", "std_mean", "var_mean")


def _of_few(name: str, x: np.ndarray, params: dict[str, Any], found: Found) -> list[str]:
    if x.size == 0:
        return [f"the mean of no values: the input has shape {list(x.shape)}.",
                "Fix: skip empty batches, or check that the mask selects something."]  # fmt: skip
    if name in _SPREADS and params.get("axis") is not None:
        axes = several(params["axis"])
        count = int(np.prod([x.shape[a] for a in axes]))
        if count <= params.get("correction", 0):
            return [f"the spread of {count} value with correction {params['correction']}: 0/0.",
                    "Fix: correction=0 (unbiased=False), or more than one value."]  # fmt: skip
    if name == "cross_entropy" and found.nan and find(x) is None:
        return ["no target counts: all of them are ignore_index, so the mean is 0/0.",
                "Fix: skip such batches, or divide reduction='sum' by max(count, 1)."]  # fmt: skip
    return []


def _of_all(op: Any, arrays: list[Any], result: np.ndarray, found: Found) -> list[str]:
    """What went in and what came out, where no single operand can be named."""
    names: Callable[[int], str] = getattr(op, "input_name", "argument {}".format)
    lines = [f"result {list(result.shape)}: {found}."]
    for k, a in enumerate(arrays):
        if a is not None:
            lines.append(f"{names(k)} {list(a.shape)}: {extent(a)}.")
    finite = all(a is None or find(a) is None for a in arrays)
    if finite and getattr(op, "name", None):
        limit = _in_type("too large for {dtype} (largest {largest})", result)
        lines.append(f"Finite operands, so a product or a sum of them was {limit}, or divided 0/0.")
        if result.dtype.itemsize == 2:
            lines.append("Fix: scale the operands down, or keep this operation in float32 or "
                         "bfloat16.")  # fmt: skip
    return lines


def backward_cause(node: Any, saved: dict[str, Any], g: Any, grad: np.ndarray) -> list[str]:
    """Lines on why a node's gradient is not finite: its operands and incoming gradient there."""
    found = find(grad)
    if found is None:
        return []
    op = node.op
    name = op.name if op is not None else ""
    shown: list[Any] = []
    incoming = payload(g[0] if isinstance(g, list | tuple) and g else g)
    values = [("incoming gradient", incoming), *((k, payload(v)) for k, v in saved.items())]
    for label, array in values:
        if array is None:
            continue
        try:
            here = wide(np.broadcast_to(array, grad.shape))[found.first]
            shown.append(f"{label} {show(here)}")
        except ValueError:
            shown.append(f"{label} {list(array.shape)}: {extent(array)}")
    lines = [f"gradient {list(grad.shape)}: {found}."]
    if shown:
        lines.append(f"there: {', '.join(shown)}.")
    if incoming is not None and find(incoming) is None and name in STEEP:
        lines.append(f"{STEEP[name]}.")
        lines.append(f"Fix: {_STEEP_FIX.get(name, 'keep the argument away from that point')}.")
    return lines
