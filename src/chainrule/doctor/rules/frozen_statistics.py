"""frozen-statistics: batch norm trains, but never learns the statistics that eval() uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...nn.modules import batchnorm
from ...ops.weak import WeakTable
from ..finding import WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import Pass
from .base import Rule, array

ENOUGH = 8


class FrozenStatistics(Rule):
    """Watches batch norms whose weights are trained while their running mean and variance keep
    their first values, 0 and 1: in eval mode the layer does nothing of what was learnt.

    Silent: norms without running statistics, frozen norms (no gradient for their weights),
    pretrained statistics, models that are trained in eval mode as a whole (`eval-mode-training`).
    """

    id = "frozen-statistics"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._trained: dict[int, tuple[int, Any, Position]] = {}
        self._known = 0  # modules of the program when batch norms were looked up
        self._all: list[Any] = []
        self._asleep = WeakTable()  # norms: the line that put them to eval()

    def mode_set(self, module: Any, _mode: bool, where: Position) -> None:
        if isinstance(module, batchnorm._NormBase) and where.is_users:
            self._asleep[module] = where

    def pass_ends(self, this: Pass) -> None:
        if not this.looked or not self._norms():
            return
        reached = {id(leaf) for leaf in this.leaves} & self.run.in_optimizers()
        for module in self._norms():
            if id(module.weight) in reached:
                count, *_ = self._trained.get(id(module), (0,))
                slept = NOWHERE if module.training else self._asleep.get(module, NOWHERE)
                self._trained[id(module)] = (count + 1, module, slept)

    def _norms(self) -> list[Any]:
        """The batch norms of the program, looked up again when there are more modules."""
        if len(self.run.modules) != self._known:
            self._known = len(self.run.modules)
            living = [m for m, _ in self.run.living_modules()]
            self._all = [m for m in living if isinstance(m, batchnorm._NormBase)]
        return self._all

    def findings(self) -> Iterator[Finding]:
        for count, module, slept in self._trained.values():
            if count >= ENOUGH and _untouched(module):
                where = slept if slept.is_users else self.run.position_of(module)
                why = f"momentum is {module.momentum}" if module.training else "it is in eval mode"
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    f"{type(module).__name__} is trained, but its running statistics never change",
                    [f"mean 0 and variance 1 after {count} passes that trained it; {why}"],
                    "leave momentum at 0.1 and the layer in train mode, or freeze it as a whole",
                )


def _untouched(module: Any) -> bool:
    mean, variance = array(module.running_mean), array(module.running_var)
    if mean is None or variance is None or not module.track_running_stats:
        return False
    return not mean.any() and bool((variance == 1).all())
