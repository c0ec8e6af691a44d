"""unused-parameter: an optimizer holds a parameter that no loss depends on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ...reading.nodes import Vertex
from ..calls import Calls
from ..cuts import Cuts
from ..finding import WARNING, Finding
from ..positions import NOWHERE, Position, of_node
from ..run import OptimizerRecord, Pass
from .base import Rule
from .census import Census, listed

FLAT = ("round", "floor", "ceil", "trunc", "sign")
TIMES = 3  # steps


class UnusedParameter(Rule):
    """Watches which parameters of an optimizer ever have a gradient: this one has none in the whole
    run, while others of the same optimizer do. Also those whose every path goes through round(),
    sign() and the like, which hand on nothing but zeros.

    Silent: parameters that are used on some paths only (one gradient is enough), embeddings,
    frozen parameters, gradients that are there but zero.
    """

    id = "unused-parameter"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._behind: dict[int, tuple[Any, str, Position]] = {}  # leaves behind flat ops
        self._open: set[int] = set()  # those that some path leads to past them
        self._census: Census = run.shared(Census)
        self._cuts: Cuts = run.shared(Cuts)
        self._calls: Calls = run.shared(Calls)

    def pass_begins(self, this: Pass) -> None:
        flat = {id(v) for v in this.of(*FLAT)}
        if this.tape is None or (not flat and not self._behind):
            return
        reached, stack = set(), [this.tape.root]
        while stack:
            v = stack.pop()
            if id(v) not in reached and id(v) not in flat:
                reached.add(id(v))
                stack += [link.parent for link in v.inputs]
        for leaf in this.tape.leaves:
            if id(leaf) in reached:
                self._open.add(id(leaf.leaf))
        for v in this.of(*FLAT):
            for leaf in leaves_behind(v):
                self._behind.setdefault(id(leaf), (ref(leaf), v.op, of_node(v.node)))

    def _flattened(self, record: OptimizerRecord) -> Iterator[Finding]:
        """Parameters behind `round()` and the like alone: their gradient is there, and zero."""
        held = {id(p): p for p in record.parameters}
        behind = {
            k: found for k, found in self._behind.items() if k in held and k not in self._open
        }
        lines: dict[Position, list[Any]] = {}
        for k, (p, _, where) in behind.items():
            if p() is held[k]:
                lines.setdefault(where, []).append(held[k])
        for where, group in lines.items():
            if self._census.trained.get(id(record), 0) < TIMES:
                continue
            op = behind[id(group[0])][1]
            yield self._tell(
                record, where, f"{op}() at {where.short} is flat: its gradient is 0 everywhere",
                group, self.run.names(), "a gradient of 0",
            )  # fmt: skip

    def findings(self) -> Iterator[Finding]:
        for record in self.run.optimizers:
            yield from self._flattened(record)
        names = self.run.names()
        for record in self.run.optimizers:
            stale = {id(p) for p in self._census.stale(record)}
            by_line: dict[Position, tuple[str, list[Any]]] = {}
            for p in self._census.unused(record):
                if id(p) not in stale or not self._census.outside():
                    where, why = self._cause(p, record)
                    by_line.setdefault(where, (why, []))[1].append(p)
            for where, (why, group) in by_line.items():
                yield self._tell(record, where, why, group, names)

    def _cause(self, p: Any, record: OptimizerRecord) -> tuple[Position, str]:
        """The line that cuts the path from a parameter to the loss, or that which made it."""
        cut = self._cuts.behind(p)
        if cut is not None:
            return cut.where, f"{cut.name} at {cut.where.short} takes its result out of the graph"
        owner = self.run.owner(p)
        if owner is not None and id(owner[0]) not in self._calls.recorded:
            switch = self._calls.silent.get(id(owner[0]), NOWHERE)
            if switch.is_users:
                return switch, f"it only runs without a graph, switched off at {switch.short}"
        made = self.run.made_at(p)
        why = "no path of the graph leads from the loss to it: its result is not used"
        return (made if made.code is not None else record.position), why

    def _tell(
        self,
        record: OptimizerRecord,
        where: Position,
        why: str,
        group: list[Any],
        names: dict[int, str],
        had: str = "grad None",
    ) -> Finding:
        steps = self._census.trained.get(id(record), record.steps)
        return Finding(
            self.id,
            WARNING,
            where,
            f"{listed(group, names)} never receive{'s' if len(group) == 1 else ''} a gradient",
            [
                f"{len(group)} of the {len(record.parameters)} parameters of {record.kind} had "
                f"{had} at all {steps} steps that were looked at",
                why,
            ],
            _fix(where, why),
            about=frozenset(("parameter", id(p)) for p in group),
        )


def leaves_behind(v: Vertex) -> list[Any]:
    """The leaf tensors that a node was computed from."""
    seen: set[int] = set()
    stack, found = [v], []
    while stack:
        w = stack.pop()
        if id(w) in seen:
            continue
        seen.add(id(w))
        if w.leaf is not None:
            found.append(w.leaf)
        stack += [link.parent for link in w.inputs]
    return found


def _fix(where: Position, why: str) -> str:
    for cut in (".detach()", ".data", ".tolist()", ".numpy()"):
        if cut in where.text and "takes its result" in why:
            return where.text.replace(cut, "", 1)
    if "is flat" in why:
        return "z + (z.round() - z).detach()  # the value is rounded, the gradient passes"
    if "without a graph" in why:
        return "run it outside of no_grad()"
    return "use its result in the loss, or leave the parameter out of the optimizer"
