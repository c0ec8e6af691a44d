"""Where values leave the graph, and which parameters are behind them; shared by rules."""

from __future__ import annotations

from typing import Any

from .positions import Position
from .run import Run, forget, tape_of

READ = 3  # cuts of a line whose graphs are read
LISTED = 32  # of one pass, at the first: the line may take the entries of a list
NAMES = {
    "detach": "detach()", "numpy": "numpy()", "tolist": "tolist()", "item": "item()",
    "data": ".data", "no_grad": "no_grad()", "argmax": "argmax()", "argmin": "argmin()",
    "float": "float()", "long": "long()", "int": "int()", "comparison": "a comparison",
    "tensor": "torch.tensor()",
}  # fmt: skip


class Cut:
    """A line that takes a value out of the graph."""

    def __init__(self, kind: str, where: Position) -> None:
        self.kind = kind
        self.where = where
        self.count = 0
        self.order = 0  # when it last happened
        self.passes = 0  # that the run had had by then
        self.began = 0  # passes before the first
        self.leaves: set[int] = set()  # ids of the leaves behind what was cut
        self.direct: set[int] = set()  # of leaves that were cut themselves, during the training

    @property
    def name(self) -> str:
        return NAMES[self.kind]


class Cuts:
    """The cuts of a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._found: dict[Position, Cut] = {}
        self._clock = 0

    def cut(self, kind: str, tensor: Any, _result: Any, where: Position) -> None:
        if not tensor._rg:
            return
        known = self._found.get(where)
        if known is None:
            known = self._found[where] = Cut(kind, where)
            known.began = self.run.passes
        self._clock += 1
        known.count, known.order = known.count + 1, self._clock
        known.passes = self.run.passes
        if known.count > (LISTED if known.began == known.passes else READ):
            return
        if tensor._node is None:
            if self.run.passes:
                known.direct.add(id(tensor))
            return
        tape = tape_of(tensor)
        if tape is not None:
            known.leaves |= {id(v.leaf) for v in tape.leaves}
            forget(tape)

    def heard_at(self, where: Position) -> bool:
        """Whether a line took something out of a graph."""
        return any(c.where.line == where.line and c.where.file == where.file for c in self.all())

    def all(self) -> list[Cut]:
        return list(self._found.values())

    def behind(self, parameter: Any) -> Cut | None:
        """The first cut of what was computed from a parameter, or of the parameter itself."""
        cuts = self._found.values()
        found = next((c for c in cuts if id(parameter) in c.leaves), None)
        return found or next((c for c in cuts if id(parameter) in c.direct), None)

    def latest(self, parameters: set[int]) -> Cut | None:
        """The latest cut of something that was computed from one of the parameters."""
        found = [c for c in self._found.values() if c.leaves & parameters]
        return max(found, key=lambda c: c.order, default=None)


__all__ = ["Cut", "Cuts"]
