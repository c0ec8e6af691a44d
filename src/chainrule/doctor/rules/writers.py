"""Who wrote into a parameter last, also through `.data`, which counts for itself."""

from __future__ import annotations

from typing import Any

from ...ops.weak import WeakTable
from ..positions import NOWHERE, Position
from ..run import Run


class Writers:
    """The lines that wrote into leaves."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._set = WeakTable()  # leaves: the latest line that gave them new `.data`
        self._data = WeakTable()  # leaves: the counter of the latest `.data`

    def data_set(self, tensor: Any, where: Position) -> None:
        """`p.data = ...`"""
        self._set[tensor] = where

    def cut(self, kind: str, tensor: Any, result: Any, where: Position) -> None:
        if kind == "data" and tensor._node is None and tensor._rg:
            known = self._data.get(tensor)
            if known is None or known[0][0] == known[1] or result._v is not None:
                counter = result._v
                if counter is not None:
                    self._data[tensor] = (counter, counter[0], where)

    def of(self, leaf: Any) -> Position:
        """The line that wrote last; NOWHERE if nobody did after the tensor was made."""
        known = self._data.get(leaf)
        if known is not None and known[0][0] != known[1]:
            counter, _, where = known
            return Position(counter[2], counter[3]) if len(counter) >= 4 else where
        given = self._set.get(leaf)
        if given is not None:
            return given
        counter = leaf._v
        if counter is None or len(counter) < 4:
            return NOWHERE
        return Position(counter[2], counter[3])


__all__ = ["Writers"]
