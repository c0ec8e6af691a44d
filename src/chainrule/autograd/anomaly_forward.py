"""What a forward result that is not finite means: a beginning to note, or an error to raise."""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np

from . import source
from .nan_causes import forward_cause, title
from .nan_origins import Log, Origin, as_data, origin_of
from .nonfinite import find, has_nan, is_finite, payload
from .op_rules import saved_names
from .state import STATE
from .trees import several
from .value import TensorBase
from .variable_names import module_path


def judge(log: Log, op: Any, tensors: Any, outs: Any, params: dict[str, Any]) -> None:
    """Raise when NaN arises or enters the recorded program; otherwise note what began here."""
    operands = _flat(tensors)
    infinite = [t for t in operands if (a := payload(t)) is not None and not is_finite(a)]
    nans = [t for t in infinite if has_nan(_array(t))]
    arises = any(has_nan(a) for a in map(payload, outs) if a is not None)
    if arises and not nans and not _selects_later():
        raise _arising(log, op, operands, infinite, outs, params)
    if nans and arises:
        origin = origin_of(log, nans[0])
        if _enters(op, operands) and not _selects_later():
            raise _entering(op, nans[0], origin)
    elif infinite:
        origin = origin_of(log, infinite[0])
    else:
        origin = _beginning(op, operands, outs, params)
    for out in outs:
        array = payload(out)
        if array is not None and not is_finite(array):
            log.note(out, origin)


_SELECTING = os.sep + os.path.join("chainrule", "distributions") + os.sep


def _selects_later() -> bool:
    """Whether code of ours runs that computes first and leaves out afterwards: distributions.

    A NaN that such code hands back is named where the user's program goes on with it.
    """
    frame: Any = sys._getframe(1)
    while frame is not None and source.is_library(frame.f_code.co_filename):
        if _SELECTING in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def note_written(log: Log, op: Any, x: Any, tensors: Any, result: Any, params: Any) -> None:
    """The same for an in-place form, before `result` is written into x."""
    if payload(result) is None or not STATE.anomaly_check_nan:
        return
    if not is_finite(result):
        judge(log, op, tensors, (result,), params)
        origin = log.of(result)
        if origin is not None:
            log.note(x, origin)
    elif x._view is None:
        log.forget(x)


def note_assigned(log: Log, x: Any, value: Any, name: str) -> None:
    """x was given the values of a computed tensor."""
    array = payload(x)
    if array is None:
        return
    if is_finite(array):
        if x._view is None:
            log.forget(x)
        return
    given = payload(value)
    if given is not None and not is_finite(given):
        log.note(x, origin_of(log, value))
        return
    text = f"{name} at {source.here()}"
    log.note(x, Origin(text, (f"values too large for {array.dtype.name}: {find(array)}.",)))


def _flat(tensors: Any) -> list[Any]:
    """Operands, those in lists (cat, stack) included."""
    return [one for t in tensors for one in several(t)]


def _array(t: Any) -> np.ndarray:
    array = payload(t)
    assert array is not None
    return array


def _at() -> str:
    """`at model.py:9 in forward: ... , in layers.3 (Linear)`."""
    module = module_path()
    return f"at {source.here()}" + (f", in {module}" if module else "")


def _arising(
    log: Log, op: Any, operands: list[Any], infinite: list[Any], outs: Any, params: dict[str, Any]
) -> RuntimeError:
    shapes = ", ".join(str(list(t.shape)) for t in operands if isinstance(t, TensorBase))
    told_earlier = [o for o in (origin_of(log, t) for t in infinite) if not o.deliberate]
    cause = forward_cause(op, operands, outs, params)
    if told_earlier:  # the remedy belongs where it began
        cause = [line for line in cause if not line.startswith("Fix:")]
    lines = [
        f"{title(op)} returned nan values from inputs without any (shapes {shapes})",
        f"  {_at()}",
        *(f"  {line}" for line in cause),
        "  This is where NaN first arises in the forward pass.",
    ]
    told: set[Origin] = set()
    for t in infinite:
        origin = origin_of(log, t)
        if origin in told:
            continue
        told.add(origin)
        verb = "was put there on purpose" if origin.deliberate else "began earlier"
        lines.append(f"  The infinity among its inputs {verb}: {origin.headline}")
        lines += [f"    {line}" for line in origin.lines]
    return RuntimeError("\n".join([*lines, *blown_up(log)]))


def _entering(op: Any, operand: Any, origin: Origin) -> RuntimeError:
    """NaN that was in an operand before the operation: the tensor, its beginning, the line."""
    held = as_data(operand)
    lines = [held.headline, *(f"  {line}" for line in held.lines)]
    if not origin.data:
        lines.append(f"  They began with {origin.headline}")
        lines += [f"    {line}" for line in origin.lines]
    return RuntimeError(
        "\n".join(
            [
                *lines,
                f"  They enter the computation in {title(op)} {_at()}",
                "  From there on every operation returned nan values because it was given some.",
                f"  Fix: {_REPAIR_PARAMETER if held.parameter else _REPAIR_DATA}",
            ]
        )
    )


_REPAIR_DATA = (
    "repair the data before it meets the parameters: drop these rows, or torch.nan_to_num(x)."
)
_REPAIR_PARAMETER = (
    "start from a checkpoint that is finite, and keep the optimizer's steps inside "
    "detect_anomaly(forward=True): it names the step that spoils a parameter."
)


def _enters(op: Any, operands: list[Any]) -> bool:
    """Whether NaN operands do harm here: gradients are wanted, and a rule would multiply by them.

    Operations that only move, select or add values hand NaN on to where it may yet be dropped
    (a masked loss); their backward is none the worse for it.
    """
    if not any(isinstance(t, TensorBase) and t._rg for t in operands):
        return False
    if not hasattr(op, "classify"):
        return True  # a custom Function: nothing is known of its backward
    for name in saved_names(op):
        kind, detail = op.classify(name)
        if kind == "out" or (kind == "in" and op.input_name(detail) not in op.nondiff):
            return True
    return False


def _beginning(op: Any, operands: list[Any], outs: Any, params: dict[str, Any]) -> Origin:
    """Infinity out of finite operands: written as a number, or an overflow."""
    text = f"{title(op)} {_at()}"
    for value in params.values():
        if isinstance(value, float) and np.isinf(value):
            return Origin(f"{text}: {value} was written", deliberate=True)
    return Origin(text, tuple(forward_cause(op, operands, outs, params)))


def blown_up(log: Log) -> list[str]:
    """Lines on optimizers whose steps have grown beyond reason before NaN arose."""
    return [f"  {line}" for history in log.steps.values() for line in history.growth()]


def check_root(log: Log, root: Any) -> None:
    """Raise when what backward starts from is NaN: nothing backward does is to blame."""
    array = payload(root)
    if array is None or not STATE.anomaly_check_nan or not has_nan(array):
        return
    origin = origin_of(log, root)
    raise RuntimeError(
        "\n".join(
            [
                "the tensor that backward starts from holds nan values: they arose in the forward "
                "pass",
                f"  backward at {source.here()}",
                f"  {origin.headline}",
                *(f"    {line}" for line in origin.lines),
                *blown_up(log),
            ]
        )
    )
