"""What a gradient that is not finite means: where it began, and the error that says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from .nan_causes import backward_cause, title
from .nan_origins import Origin, as_data
from .node import Node, OutSlot
from .nonfinite import has_nan, is_finite, payload
from .op_rules import saved_names
from .state import STATE
from .trees import several
from .value import TensorBase


def raise_nan(node: Any, k: int, g: Any, grad: np.ndarray, walk: Any) -> NoReturn:
    """The error for a node whose gradient is NaN."""
    saved = dict(_saved(node))
    lines = [
        f"Function '{node.name()}' returned nan values in its {k}th output.",
        f"  forward: {_title(node)} at {node.where()}",
        *(f"  {line}" for line in backward_cause(node, saved, g, grad)),
    ]
    origin = walk.nonfinite.get(node.key) if _bad(g) else None
    if origin is not None:
        lines.append(f"  The incoming gradient was not finite any more: {origin.headline}")
        lines += [f"    {line}" for line in origin.lines]
    elif _bad(g):
        lines.append("  The incoming gradient was not finite: a hook or the gradient given to "
                     "backward() made it so.")  # fmt: skip
    past = _forward_origin(node, saved)
    if past is not None:
        lines.append(f"  The forward pass brought it in: {past.headline}")
        lines += [f"    {line}" for line in past.lines]
    elif origin is None:
        lines.append("  The gradient became NaN in the backward of that line.")
    raise RuntimeError("\n".join(lines))


def note_infinite(node: Any, k: int, g: Any, grad: np.ndarray, parents: Any, walk: Any) -> None:
    """Remember where a gradient became infinite, for what it may lead to."""
    parent = parents[k] if k < len(parents) else None
    if parent is None:
        return
    origin = walk.nonfinite.get(node.key) if _bad(g) else None
    if origin is None:
        past = _forward_origin(node, dict(_saved(node)))
        cause = backward_cause(node, dict(_saved(node)), g, grad)
        if past is not None:
            cause = [*cause, f"the forward pass brought infinity in: {past.headline}", *past.lines]
        text = f"it became infinite in the backward of {_title(node)} at {node.where()}"
        origin = Origin(text, tuple(cause))
    if isinstance(parent, TensorBase):
        if STATE.anomaly_log is not None:
            STATE.anomaly_log.note_gradient(parent, origin)
        return
    made_by = parent.node if isinstance(parent, OutSlot) else parent
    walk.nonfinite.setdefault(made_by.key, origin)


def _title(node: Any) -> str:
    return title(node.op) if node.op is not None else node.name().removesuffix("Backward")


def _bad(g: Any) -> bool:
    return any(not is_finite(a) for a in map(payload, several(g)) if a is not None)


def _saved(node: Any) -> Iterator[tuple[str, Any]]:
    """(name, array) of the values a node kept; what hooks packed away is left out."""
    if node.op is None or not node.s:
        return
    for name, value in zip(saved_names(node.op), node.s, strict=False):
        if node.op.classify(name)[0] in ("in", "out") and payload(value) is not None:
            yield name, value


def _forward_origin(node: Any, saved: dict[str, Any]) -> Origin | None:
    """Where NaN or infinity among the saved values came from."""
    log = STATE.anomaly_log
    if log is not None:
        for value in saved.values():
            array = payload(value)
            if array is not None and not is_finite(array):
                known = log.of(value)
                if known is not None:
                    return known if not known.deliberate else None
    if not any(has_nan(a) for a in map(payload, saved.values()) if a is not None):
        return None
    return _first_on_tape(node)


def _first_on_tape(node: Any) -> Origin | None:
    """The earliest node that leads here and has NaN among what it saved."""
    for earlier in sorted(_reachable(node), key=lambda n: -n.key):
        for name, value in _saved(earlier):
            array = payload(value)
            if array is None or not has_nan(array):
                continue
            kind, detail = earlier.op.classify(name)
            if kind == "out":
                return Origin(f"{_title(earlier)} at {earlier.where()} returned nan values")
            parent = earlier.parents[detail] if detail < len(earlier.parents) else None
            if parent is None or isinstance(parent, TensorBase):
                found = as_data(value if parent is None else parent)
                used = f"first used by {_title(earlier)} at {earlier.where()}"
                return Origin(found.headline, (*found.lines, used), data=True)
            text = f"{_title(earlier)} at {earlier.where()} was given nan values already"
            return Origin(text, ("detect_anomaly(forward=True) names the operation that made "
                                 "them.",))  # fmt: skip
    return None


def _reachable(node: Any) -> list[Any]:
    found: dict[int, Any] = {}
    stack = [node]
    while stack:
        at = stack.pop()
        if not isinstance(at, Node) or at.key in found:
            continue
        found[at.key] = at
        stack += [p.node if isinstance(p, OutSlot) else p for p in at.parents]
    return list(found.values())
