"""dropout-in-evaluation: the model is judged while dropout throws units away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule
from .eval_mode import is_sensitive

ENOUGH = 3  # steps before an evaluation means anything
_JUDGES = re.compile(r"eval|valid|accuracy|(^|_)test($|_)", re.IGNORECASE)


class DropoutInEvaluation(Rule):
    """Watches two things: `F.dropout(x)` without `training=self.training` inside a module that is
    in eval mode, and functions named after evaluation that switch gradients off and run a trained
    model whose dropout or batch norm is still in train mode.

    Silent: `training=True` written out (Monte Carlo dropout), samples for other networks, target
    networks, functions of other names, models without such layers.
    """

    id = "dropout-in-evaluation"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._always: dict[Position, int] = {}
        self._pending: list[tuple[Any, Position]] = []
        self._awake: dict[Position, tuple[int, str]] = {}

    def dropped_out(self, where: Position) -> None:
        self._always[where] = self._always.get(where, 0) + 1

    def grad_switched(self, _name: str, where: Position) -> None:
        if self.run.steps < ENOUGH or not _JUDGES.search(where.function):
            return
        held = self.run.in_optimizers()
        for root in self.run.roots():
            trained = any(id(p) in held for p in root.parameters())
            if trained and root.training and any(is_sensitive(m) for m in root.modules()):
                self._pending.append((root, where))

    def mode_set(self, module: Any, mode: bool, _where: Position) -> None:
        if not mode:
            inside = {id(m) for m in module.modules()}
            self._pending = [p for p in self._pending if id(p[0]) not in inside]

    def pass_begins(self, _this: Pass) -> None:
        self._settle()

    def _settle(self) -> None:
        for root, where in self._pending:
            kinds = sorted({type(m).__name__ for m in root.modules() if is_sensitive(m)})
            count, _ = self._awake.get(where, (0, ""))
            self._awake[where] = (count + 1, ", ".join(kinds))
        self._pending = []

    def findings(self) -> Iterator[Finding]:
        self._settle()
        for where, count in self._always.items():
            yield Finding(
                self.id,
                WARNING,
                where,
                "F.dropout drops units in eval mode too: its `training` is True by default",
                [f"it ran {count} times inside a module that is in eval mode"],
                "F.dropout(x, p, training=self.training)  # or an nn.Dropout module",
            )
        for where, (count, kinds) in self._awake.items():
            yield Finding(
                self.id,
                WARNING,
                where,
                f"`{where.function}` runs the model in train mode: {kinds} work as in training",
                [f"{count} evaluations after training steps, none after eval()"],
                "model.eval()  # before the evaluation, and model.train() after it",
            )
