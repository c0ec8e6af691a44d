"""Finds the bug in a training loop: its line, the evidence and the fix.

chainrule doctor train.py

with torch.doctor.watch(model, optimizer) as watched:
    train()
print(watched)
"""

from __future__ import annotations

from typing import Any

from .finding import Finding
from .preflight import Preflight, preflight
from .watch import Watch


def watch(*objects: Any, every: int | None = None, only: Any = None, ignore: Any = None) -> Watch:
    """Watch what happens inside a block, and say what is wrong with it.

    >>> import chainrule as torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with torch.doctor.watch(model, optimizer) as watched:
    ...     for _ in range(6):  # nobody resets the gradients
    ...         loss = model(torch.ones(4, 2)).square().mean()
    ...         loss.backward()
    ...         optimizer.step()
    >>> [finding.rule for finding in watched.findings]
    ['missing-zero-grad']
    """
    from ..nn.modules.module import Module
    from .rules import chosen, names_of

    models = [o for o in objects if isinstance(o, Module)]
    return Watch(chosen(only, ignore), models, every, names_of(ignore))


__all__ = ["Finding", "Preflight", "Watch", "preflight", "watch"]
