"""nonscalar-backward: backward() of a loss that was never reduced to one number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...reading.nodes import Tape
from ..finding import ERROR, Finding
from ..positions import Position, of_node
from ..run import Pass, tape_of
from .base import Rule
from .failures import NOT_SCALAR, is_about


class NonscalarBackward(Rule):
    """Watches for the exception, and names the op that left the loss unreduced.

    Silent: `backward(torch.ones_like(loss))`, which is legal.
    """

    id = "nonscalar-backward"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: tuple[Position, Position, tuple[int, ...], str] | None = None

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        if not is_about(problem, NOT_SCALAR) or self._found is not None:
            return
        loss = next((r for r in this.roots if r.numel() != 1), this.loss)
        tape = tape_of(loss)
        op = "" if tape is None else tape.root.op
        where = this.site.position if tape is None else _maker(tape, this.site.position)
        self._found = (where, this.site.position, tuple(loss.shape), op)

    def findings(self) -> Iterator[Finding]:
        if self._found is None:
            return
        where, called, shape, op = self._found
        yield Finding(
            self.id,
            ERROR,
            where,
            f"the loss has shape {list(shape)}: backward() needs one number to differentiate",
            [f"the last operation was {op}; backward() was called at {called.short}"],
            "loss = loss.mean()  # or leave reduction='none' out",
        )


def _maker(tape: Tape, fallback: Position) -> Position:
    found = of_node(tape.root.node)
    return found if found.is_users else fallback
