"""dropout-in-evaluation: the model is judged while dropout throws units away."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..finding import WARNING, Finding
from ..positions import Position, here
from ..run import Pass
from .base import Rule
from .eval_mode import is_sensitive

ENOUGH = 3  # steps before an evaluation means anything
_JUDGES = re.compile(r"eval|valid|accuracy|(^|_)test($|_)", re.IGNORECASE)
_JUDGED = re.compile(
    r"(^|_)(eval\w*|val(id\w*)?|test|acc(uracy)?|correct|hits)($|_)", re.IGNORECASE
)
_LOSS = re.compile(r"(^|_)(loss|criterion|crit|cross_entropy|nll)($|_)", re.IGNORECASE)


class DropoutInEvaluation(Rule):
    """Watches two things: `F.dropout(x)` without `training=self.training` inside a module that is
    in eval mode, and functions and blocks named after evaluation (their own names, or those of what
    they compute: `val_loss`, `correct`, a loss that becomes a number) that switch gradients off and
    run a trained model whose dropout or batch norm is still in train mode.

    Silent: `training=True` written out and several answers to one input (Monte Carlo dropout),
    `model.train()` right before, samples for other networks, target networks, models without such
    layers.
    """

    id = "dropout-in-evaluation"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._always: dict[Position, int] = {}
        self._pending: list[tuple[Any, Position]] = []
        self._awake: dict[Position, tuple[int, str]] = {}
        self._called: dict[Position, Position] = {}  # by the line that switched gradients off
        self._meant: set[int] = set()  # ids of models that were put in train mode since a pass
        self._ran: set[int] = set()  # ids of models that were called since gradients are off
        self._inputs: list[Any] = []  # what models were called with since gradients are off

    def dropped_out(self, where: Position) -> None:
        self._always[where] = self._always.get(where, 0) + 1

    def grad_switched(self, _name: str, where: Position) -> None:
        if self.run.steps < ENOUGH or not (_JUDGES.search(where.function) or judges(where)):
            return
        self._settle()
        held = self.run.in_optimizers()
        for root in self.run.roots():
            trained = any(id(p) in held for p in root.parameters())
            if id(root) in self._meant:
                continue
            if trained and root.training and any(is_sensitive(m) for m in root.modules()):
                self._pending.append((root, where))

    def model_called(self, module: Any, args: Any, recorded: bool) -> None:
        if recorded:
            return
        self._ran.add(id(module))
        called = [(root, where) for root, where in self._pending if root is module]
        if not called:
            return
        if args and any(x is args[0] for x in self._inputs):  # it is asked the same again
            self._pending = [p for p in self._pending if p[0] is not module]
            return
        self._inputs = [*self._inputs[-3:], *args[:1]]
        for _, where in called:
            self._called.setdefault(where, here())

    def mode_set(self, module: Any, mode: bool, _where: Position) -> None:
        if mode:
            self._meant.add(id(module))
        else:
            inside = {id(m) for m in module.modules()}
            self._pending = [p for p in self._pending if id(p[0]) not in inside]

    def pass_begins(self, _this: Pass) -> None:
        self._settle()
        self._meant.clear()

    def _settle(self) -> None:
        for root, where in self._pending:
            if id(root) not in self._ran and (self._ran or not _JUDGES.search(where.function)):
                continue  # another one was judged, or nobody heard which
            kinds = sorted({type(m).__name__ for m in root.modules() if is_sensitive(m)})
            count, _ = self._awake.get(where, (0, ""))
            self._awake[where] = (count + 1, ", ".join(kinds))
        self._pending, self._inputs = [], []
        self._ran.clear()

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
                self._called.get(where, where),
                f"{_name(where)} runs the model in train mode: {kinds} work as in training",
                [f"{count} evaluations after training steps, none after eval()"],
                "model.eval()  # before the evaluation, and model.train() after it",
            )


def _name(where: Position) -> str:
    return "this evaluation" if where.function == "<module>" else f"`{where.function}`"


@lru_cache(maxsize=256)
def judges(where: Position) -> bool:
    """Whether a block without gradients computes what is named after an evaluation."""
    try:
        tree = ast.parse("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return False
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.With) and n.lineno == where.line]
    names = {
        n.id if isinstance(n, ast.Name) else n.attr
        for block in blocks
        for n in ast.walk(block)
        if isinstance(n, ast.Name | ast.Attribute)
    }
    if any(_JUDGED.search(name) for name in names):
        return True
    return "item" in names and any(_LOSS.search(name) for name in names)  # it adds up a loss
