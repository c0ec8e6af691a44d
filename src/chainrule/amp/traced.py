"""What a GradScaler does while a step is traced: the same in tensor ops, without asking values.

Whether a gradient was infinite is known only when the compiled step runs, so a step that is to be
skipped is computed and then not taken: every tensor it changed gets its old value back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import chainrule as cr


def unscale(optimizer: Any, scale: Any) -> Any:
    """Divide all gradients by the scale; 1.0 if one of them was not finite, else 0.0."""
    factor = scale.double().reciprocal().to(cr.float32)
    found = cr.zeros((), dtype=cr.bool)
    with cr.no_grad():
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    found = found | ~p.grad.isfinite().all()
                    p.grad.mul_(factor.to(p.grad.dtype))
    return found.to(cr.float32)


def step_unless(found: Any, optimizer: Any, args: Any, kwargs: Any) -> Any:
    """optimizer.step(), taken back where `found` is not zero."""
    with cr.no_grad():
        tensors = list(_changed_by(optimizer))
        before = [t.clone() for t in tensors]
        result = optimizer.step(*args, **kwargs)
        for t, old in zip(tensors, before, strict=True):
            t.copy_(cr.where(found > 0, old, t))
    return result


def _changed_by(optimizer: Any) -> Iterator[Any]:
    for group in optimizer.param_groups:
        yield from (p for p in group["params"] if p.grad is not None)
    for state in optimizer.state.values():
        yield from (t for t in state.values() if isinstance(t, cr.Tensor))


def adapt(scale: Any, tracker: Any, found: Any, grow: float, shrink: float, interval: int) -> None:
    """Shrink the scale after an infinite gradient, grow it after enough good steps in a row."""
    bad = found > 0
    full = tracker + 1 == interval
    grown = scale * grow
    larger = cr.where(full & grown.isfinite(), grown, scale)
    with cr.no_grad():
        scale.copy_(cr.where(bad, scale * shrink, larger))
        tracker.copy_(cr.where(bad | full, cr.zeros_like(tracker), tracker + 1))
