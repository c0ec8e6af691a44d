"""Random ops inside vmap: an error, one draw for all examples, or one for each, as asked for."""

from __future__ import annotations

from typing import Any

from ..ops.schema import Op
from . import refusal
from .dispatch import P, entry
from .state import STATE


def vmap_level(top: Any) -> Any:
    """The innermost vmap that a random op with arguments up to level `top` belongs to."""
    for level in reversed(STATE.levels):
        if level.kind == "vmap":
            return level if top is None or top.index <= level.index else None
    return None


def draw(level: Any, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run a random op inside a vmap."""
    batched = any(level.mine(a) for a in args)
    if level.randomness == "error":
        raise refusal.runtime(
            "vmap: called random operation while in randomness error mode. Please either use the "
            "'same' or 'different' randomness flags on vmap or perform the randomness operation "
            "out of vmap",
            f"{op.name}",
        )
    if level.randomness == "same":
        if batched and op.name.startswith("fill_"):  # only the shape of the tensor counts
            return level.lift(_below(level, op, tuple(_first(level, a) for a in args), params))
        if batched:
            raise refusal.runtime(
                "Vmap does not currently support same randomness with a batched tensor input: the "
                "draw depends on each example's values",
                f"{op.name}",
                fix="use randomness='different', or draw from a tensor that is not batched.",
            )
        return _below(level, op, args, params)
    if not args:
        return _for_each(level, op, params)
    lifted = tuple(a if level.mine(a) or not hasattr(a, "_level") else level.lift(a) for a in args)
    values = tuple(level.payload(a) for a in lifted)
    fronts = tuple(
        _front(v, a) if level.mine(a) else v for v, a in zip(values, lifted, strict=True)
    )
    return level.batched(_below(level, op, fronts, params), 0)


def _first(level: Any, t: Any) -> Any:
    """One example of a batched tensor."""
    return P.select(_front(level.payload(t), t), axis=0, index=0) if level.mine(t) else t


def _front(value: Any, t: Any) -> Any:
    from .batches import to_front

    return to_front(value, t._bdim)


def _for_each(level: Any, op: Op, params: dict[str, Any]) -> Any:
    """A draw without tensor arguments, for every example."""
    if "shape" in params:
        whole = {**params, "shape": (level.size, *params["shape"])}
        return level.batched(_below(level, op, (), whole), 0)
    from .batches import stack

    draws = [_below(level, op, (), params) for _ in range(level.size)]
    return level.batched(stack(draws), 0)


def _below(level: Any, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The op as the levels outside this vmap see it."""
    inner = STATE.levels
    STATE.levels = inner[: inner.index(level)]
    try:
        return entry(op)(*args, **params)
    finally:
        STATE.levels = inner
