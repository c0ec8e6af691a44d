"""graph-grows: every step goes back through all steps before it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from ...reading.nodes import Tape, Vertex
from ..calls import Calls
from ..finding import ERROR, Finding
from ..positions import Position, of_node
from ..run import Pass, tape_of
from .base import Rule
from .failures import MODIFIED, USED_UP, is_about

RENEWAL = 4  # ops from a state to the one before it
TIMES = 4  # passes in a row that reached older nodes than the one before


class GraphGrows(Rule):
    """Watches the age of the nodes that a pass reaches: a graph of this step has none that were
    recorded before the previous pass of the same line. Carried state (a hidden state, a running
    sum) that was not detached brings them in.

    Silent: second-order gradients and unrolled inner loops (their nodes are young), a trunk that
    two losses of a step share, parts of the graph that are computed once before the loop
    (`retain-graph-misuse` speaks of those).
    """

    id = "graph-grows"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._found: Finding | None = None
        self._calls: Calls = run.shared(Calls)
        self._before: dict[Position, Before] = {}
        self._marks: dict[Position, int] = {}  # nodes before the latest pass have greater keys
        self._growing: dict[Position, list[int]] = {}  # numbers of nodes of passes that reach back

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.in_site == 0 or self._found is not None:
            return
        mark = this.site.last_key
        old = [v for v in this.nodes if v.key > mark]
        counts = self._growing.setdefault(this.site.position, [])
        if not old or self._of_last(this).carried(this.tape, mark) is None:
            counts.clear()
            return
        counts.append(len(this.nodes))
        rising = all(a < b for a, b in itertools.pairwise(counts))
        if len(counts) >= TIMES and rising:
            self._found = self._tell(this, this.tape, mark, counts)

    def pass_ends(self, this: Pass) -> None:
        if this.tape is not None:
            self._before[this.site.position] = Before(this.nodes)
        if this.in_site:
            self._marks[this.site.position] = this.site.last_key

    def _of_last(self, this: Pass) -> Before:
        return self._before.get(this.site.position) or Before([])

    def pass_failed(self, this: Pass, problem: BaseException) -> None:
        if self._found is not None or this.in_site == 0:
            return
        if is_about(problem, USED_UP) or is_about(problem, MODIFIED):
            tape = this.tape or tape_of(this.loss)
            if tape is not None and self._of_last(this).carried(tape, this.site.last_key):
                self._found = self._tell(this, tape, this.site.last_key, [])

    def _tell(self, this: Pass, tape: Tape, mark: int, counts: list[int]) -> Finding:
        entry = self._of_last(this).carried(tape, mark)
        assert entry is not None
        where = self._place(entry, mark, self._marks.get(this.site.position))
        old = sum(v.key > mark for v in tape.nodes)
        evidence = [f"{old} nodes of the graph were recorded before the previous backward()"]
        if counts:
            evidence.append(f"the graph grew from {counts[0]} to {counts[-1]} nodes")
        state = _carried_name(entry, mark)
        return Finding(
            self.id,
            ERROR,
            where if where.is_users else this.site.position,
            f"{state or 'a tensor'} of the previous step is used again with its whole history",
            evidence,
            f"{state} = {state}.detach()  # before the next step" if state else "detach() it",
        )

    def _place(self, entry: Vertex, mark: int, earlier: int | None) -> Position:
        """The line that hands the state to a model, or else the op that uses it."""
        call = self._calls.whole(entry)
        old = {k.parent.key for k in entry.inputs if k.parent.node is not None}
        if call is not None and call.where is not None and call.where.is_users:
            if any(key > mark and key in call.given for key in old):
                return call.where
        states = [k.parent for k in entry.inputs if k.parent.node is not None]
        renewed = next((v for v in states if v.key > mark and _renews_itself(v, earlier)), entry)
        return of_node(renewed.node)

    def findings(self) -> Iterator[Finding]:
        if self._found is not None:
            yield self._found


class Before:
    """What is kept of the pass before: who used each node, and the latest node of each line."""

    def __init__(self, nodes: list[Vertex]) -> None:
        self.users: dict[int, set[tuple[Any, int]]] = {}  # by the key of a node
        self.latest: dict[tuple[Any, int], int] = {}  # by line: the key of its latest node
        for v in nodes:  # the latest first
            self.latest.setdefault(_line(v), v.key)
            for link in v.inputs:
                if link.parent.node is not None:
                    self.users.setdefault(link.parent.key, set()).add(_line(v))

    def carried(self, tape: Tape, mark: int) -> Vertex | None:
        """The earliest new node that uses state of the step before, or None; one on the line that
        made that state comes first: the state is renewed there.

        What was computed once before the loop is old as well, but the same line has used it before,
        and the line that made it has made nothing since.
        """
        first: Vertex | None = None
        made = {_line(v) for v in tape.nodes if v.key <= mark}
        for v in reversed(tape.nodes):  # the earliest first
            if v.key > mark:
                continue
            for link in v.inputs:
                old = link.parent
                if old.node is None or old.key <= mark:
                    continue
                renewed = _line(old) in made and self.latest.get(_line(old)) == old.key
                if renewed or _line(v) not in self.users.get(old.key, ()):
                    if of_node(v.node).line == of_node(old.node).line:
                        return v
                    first = first or v
        return first


def _line(v: Vertex) -> tuple[Any, int]:
    return v.node.code, v.node.lasti


def _renews_itself(state: Vertex, earlier: int | None) -> bool:
    """Whether a state was made from the state of a still earlier step, by the same line."""
    if earlier is None:
        return False
    above = [state]
    for _ in range(RENEWAL):
        above = [k.parent for v in above for k in v.inputs if k.parent.node is not None]
        if any(v.key > earlier and of_node(v.node) == of_node(state.node) for v in above):
            return True
    return False


def _carried_name(entry: Vertex, mark: int) -> str:
    for link in entry.inputs:
        if link.parent.node is not None and link.parent.key > mark:
            return link.parent.place.statement_target
    return ""
