"""graph-leak: graphs of finished steps stay alive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ..finding import WARNING, Finding
from ..positions import Position, of_node
from ..run import Pass
from .base import Rule
from .containers import appended, containers, find_holder

GROWS = 8  # graphs of finished passes that are alive
SCANNED = (4, 10, 18)  # passes of a line before which the program's containers are looked at
RECENT = 3  # passes whose graphs may well still be held by variables
FEW, EPOCHS = 3, 2  # as many graphs of finished steps, given back only after each of two epochs


class GraphLeak(Rule):
    """Watches which graphs are gone: the first node of each is held by a weak reference, and the
    number of old ones that are still alive grows with every pass, or grows in every epoch anew
    (a running sum that begins at 0 again). Also lists and dicts of the program whose tensors hold
    graphs, and which grow.

    Silent: the last loss in its variable, bounded queues, losses summed inside one window of
    accumulation, `float(loss)` and `.item()`, graphs that wait for the garbage collector.
    """

    id = "graph-leak"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._roots: dict[Position, list[Any]] = {}
        self._steps: dict[int, int] = {}  # by node: the steps that there were before its pass
        self._climbs: dict[Position, tuple[int, bool]] = {}  # how often, and is it on high?
        self._most: dict[Position, int] = {}
        self._found: dict[Position, Finding] = {}
        self._sizes: dict[str, tuple[list[int], Any]] = {}  # of containers of graphs; the oldest

    def pass_begins(self, this: Pass) -> None:
        position = this.site.position
        if position in self._found:
            return
        self._look_around(this)
        roots = self._roots.setdefault(position, [])
        node = this.nodes[-1].node if this.nodes else None
        alive = [r for r in roots[:-RECENT] if r() is not None]
        roots[:] = [*alive, *roots[-RECENT:]]
        if node is not None and not any(r() is node for r in roots):
            roots.append(ref(node))
            self._steps[id(node)] = self.run.steps
        if len(alive) >= GROWS and len(alive) >= this.in_site - RECENT - 2:
            self._found[position] = self._tell(this, alive)
        elif self._climbs_again(position, alive):
            found = self._tell(this, alive)
            if found.where is not position:  # some variable holds them
                self._found[position] = found

    def _climbs_again(self, position: Position, alive: list[Any]) -> bool:
        """Whether the graphs of several steps are there, for a second time after all were gone."""
        times, high = self._climbs.get(position, (0, False))
        if not alive:
            high = False
        elif not high and len(alive) >= FEW:
            steps = {self._steps.get(id(n)) for r in alive if (n := r()) is not None}
            if len(steps) >= FEW:
                times, high = times + 1, True
        self._climbs[position] = times, high
        return high and times >= EPOCHS

    def _look_around(self, this: Pass) -> None:
        """Graphs that no loss ever used: containers of tensors with graphs that grow and grow."""
        if (this.in_site < SCANNED[-1] and this.in_site not in SCANNED) or self._found:
            return
        now = {name: hit for name, hit in containers(this.frame).items() if hit[0] >= GROWS}
        kept: dict[str, tuple[list[int], Any]] = {}
        for name, hit in now.items():
            sizes, first = self._sizes.get(name, ([], None))
            same = first is not None and first() is hit[3]  # nobody emptied it in between
            sizes = [*sizes, hit[0]] if same and hit[0] >= sizes[-1] else [hit[0]]
            kept[name] = (sizes, ref(hit[3]))
            if len(set(sizes)) >= 3:
                self._found[this.site.position] = self._tell_of(name, hit[:3], sizes, this)
                return
        self._sizes = kept

    def _tell_of(self, name: str, hit: Any, sizes: list[int], this: Pass) -> Finding:
        count, frame, tensor = hit
        node = getattr(tensor._node, "node", tensor._node)
        return Finding(
            self.id,
            WARNING,
            appended(frame, name, tensor) or of_node(node),
            f"`{name}` keeps the graph of every tensor in it alive: memory grows with every step",
            [f"it held {sizes[0]} tensors with graphs, {count} some passes later"],
            "put x.detach() into it",
            about=frozenset({("site", this.site.position)}),
        )

    def _tell(self, this: Pass, alive: list[Any]) -> Finding:
        nodes = {id(n) for r in alive if (n := r()) is not None}
        holder = find_holder(this.frame, nodes)
        where, name = holder if holder is not None else (this.site.position, "")
        what = f"`{name}` keeps" if name else "something keeps"
        return Finding(
            self.id,
            WARNING,
            where,
            f"{what} the graph of every step alive: memory grows with the number of steps",
            [f"the graphs of {len(alive)} finished steps are still there, out of {this.in_site}"],
            _fix(where, this),
            about=frozenset({("site", this.site.position)}),
        )

    def findings(self) -> Iterator[Finding]:
        yield from self._found.values()


def _fix(where: Position, this: Pass) -> str:
    loss = this.site.position.text.split(".backward")[0].strip() or "loss"
    text = where.text
    if loss in text and text != this.site.position.text:
        head, _, tail = text.rpartition(loss)
        return f"{head}{loss}.item(){tail}"
    return f"keep {loss}.item() or {loss}.detach()"
