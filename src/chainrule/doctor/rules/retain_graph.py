"""retain-graph-misuse: the same graph is differentiated again, or kept for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ..finding import ERROR, WARNING, Finding
from ..positions import Position
from ..run import Pass
from .base import Rule
from .failures import USED_UP, is_about

TIMES = 5


class RetainGraphMisuse(Rule):
    """Watches a second backward() through a graph that was used up, and `retain_graph=True` whose
    graph no later pass ever enters.

    Silent: two losses over one trunk with one retain; second-order gradients; a state that is
    carried from step to step (`graph-grows` speaks of that).
    """

    id = "retain-graph-misuse"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: Finding | None = None
        self._kept: list[tuple[Position, Any]] = []  # retained roots that nobody used again yet
        self._used: set[Position] = set()  # sites whose retained graph was used again
        self._wasted: dict[Position, int] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or not self._kept:
            return
        inside = {id(v.node) for v in this.nodes}
        for position, kept in self._kept:
            nodes = [n for r in kept if (n := r()) is not None]
            if any(id(n) in inside for n in nodes):
                self._used.add(position)
                self._wasted.pop(position, None)
        self._kept = [k for k in self._kept if k[0] not in self._used]

    def pass_ends(self, this: Pass) -> None:
        if this.tape is None or not this.retain or this.create or this.site.position in self._used:
            return
        nodes = [ref(v.node) for v in this.nodes[:64]]
        position = this.site.position
        earlier = [k for k in self._kept if k[0] == position]
        if earlier:
            self._wasted[position] = self._wasted.get(position, 0) + 1
        self._kept = [k for k in self._kept if k[0] != position] + [(position, nodes)]

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        if self._found is not None or not is_about(problem, USED_UP):
            return
        text = this.site.position.text
        loss = text.split(".backward")[0].strip() or "loss"
        self._found = Finding(
            self.id,
            ERROR,
            this.site.position,
            "backward() goes a second time through a graph whose saved values are used up",
            [str(problem).splitlines()[0][:160]],
            f"compute {loss} anew for each backward(), or add the losses and call it once",
        )

    def findings(self) -> Iterator[Finding]:
        if self._found is not None:
            yield self._found
        for position, count in self._wasted.items():
            if count >= TIMES:
                yield Finding(
                    self.id,
                    WARNING,
                    position,
                    "retain_graph=True keeps every graph, and none is used again",
                    [f"{count} graphs in a row were kept and dropped without a second backward()"],
                    position.text.replace("retain_graph=True", "").replace("(, ", "("),
                )
