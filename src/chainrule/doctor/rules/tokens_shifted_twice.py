"""tokens-shifted-twice: a language model is asked for the token after the next one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..finding import WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule

LOSSES = ("cross_entropy", "cross_entropy2d", "nll_loss")
ENOUGH = 3
LONG = 4  # tokens of a row


class TokensShiftedTwice(Rule):
    """Watches the tokens that go into an embedding beside the targets of cross_entropy or
    nll_loss: each target is the token two places later, because the data and the loss both shift.

    Silent: targets one place later, targets that are other tokens, several heads of which one
    predicts the next token, texts that repeat so that both shifts agree.
    """

    id = "tokens-shifted-twice"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._twice: dict[Position, int] = {}
        self._once = False

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None:
            return
        inputs = [v.saved().get("index") for v in this.of("embedding")]
        tokens = [a for a in inputs if isinstance(a, np.ndarray) and a.ndim == 2]
        for v in this.of(*LOSSES) if tokens else ():
            target = v.saved().get("target")
            if isinstance(target, np.ndarray):
                for ids in tokens:
                    if ids.shape[1] >= LONG:
                        self._compare(ids, target, of_node(v.node))

    def _compare(self, ids: np.ndarray, target: np.ndarray, where: Position) -> None:
        rows = ids.shape[0]
        if target.size % rows or not LONG <= target.size // rows <= ids.shape[1]:
            return
        target = target.reshape(rows, -1)
        width = min(target.shape[1], ids.shape[1] - 2)
        asked = target[:, :width]
        if width < 2 or not asked.size:
            return
        if (asked == ids[:, 1 : 1 + width]).mean() > 0.9:
            self._once = True
        elif (asked == ids[:, 2 : 2 + width]).all():
            self._twice[where] = self._twice.get(where, 0) + 1

    def findings(self) -> Iterator[Finding]:
        if self._once:
            return
        for where, count in self._twice.items():
            if count >= ENOUGH:
                yield Finding(
                    self.id,
                    WARNING,
                    where,
                    "targets are shifted twice: each is the token two places after its input",
                    [f"every target of {count} passes equals the input token two places later"],
                    "shift once: in the data (y = tokens[1:]) or in the loss (logits[:, :-1])",
                )
