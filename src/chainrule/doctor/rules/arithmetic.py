"""Lines that divide by zero or make NaN outside of any graph: in the data, before it is used.

NumPy calls back where a result is not finite although its operands are; nothing is looked at
otherwise.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..positions import Position, here
from ..run import Run

MOST = 32  # lines that are kept
KINDS = ("divide", "invalid")


class Arithmetic:
    """The lines of the user's that did so: before the first pass, and since the latest."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._before: dict[str, Any] = {}
        self._handler: Any = None
        self._lines: list[tuple[int, Position]] = []  # each with the passes before it

    def listening_began(self) -> None:
        self._before = {k: v for k, v in np.geterr().items() if k in KINDS and v != "call"}
        if self._before:
            self._handler = np.seterrcall(self._heard)
            np.seterr(**dict.fromkeys(self._before, "call"))  # type: ignore[arg-type]

    def listening_ended(self) -> None:
        if self._before and np.geterrcall() == self._heard:
            now = np.geterr()
            np.seterr(**{k: v for k, v in self._before.items() if now[k] == "call"})
            np.seterrcall(self._handler)
        self._before = {}

    def _heard(self, kind: str, _flag: int) -> None:
        where = here(1)
        if where.is_users:
            at = (self.run.passes, where)
            if at not in self._lines:
                first = [known for known in self._lines if known[0] == 0]
                self._lines = [*first[:MOST], *self._lines[len(first) :][-MOST:], at]
        mode = self._before.get("divide" if kind.startswith("divide") else "invalid")
        if mode == "warn":
            warnings.warn(f"{kind} encountered", RuntimeWarning, stacklevel=2)
        elif mode == "raise":
            raise FloatingPointError(f"{kind} encountered")

    def latest(self) -> Position | None:
        """The first line that did so since the latest pass."""
        return next((at for passes, at in self._lines if passes == self.run.passes), None)

    def line(self) -> Position | None:
        """The line that made what the latest data holds, if there is one."""
        return self.latest() or next((at for passes, at in self._lines if not passes), None)


__all__ = ["Arithmetic"]
