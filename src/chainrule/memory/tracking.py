"""`memory.track()`: live and peak bytes while a block runs, and what of it is kept for backward."""

from __future__ import annotations

import time
import weakref
from dataclasses import dataclass
from typing import Any

from ..autograd import source, watching
from ..autograd.accidents import explain_module
from ..autograd.node import Node, OutSlot
from ..autograd.value import TensorBase
from ..ops import allocation
from ..ops.allocation import in_units
from ..reading import Vertex
from ..reading.source import UNKNOWN, Place, node_place, place_of
from ..reading.svg import line_chart
from ..reading.terminal import Block, Table
from ..utils.checkpoint_measure import Ledger, memory_root
from .calls import ModuleCalls
from .report import SavedReport
from .storages import Saved, entry, held_arrays


@dataclass(slots=True)
class Moment:
    """Memory after one op or one step of backward, as bytes above the start."""

    time: float  # seconds since the start
    live: int
    peak: int  # the most since the moment before
    saved: int  # kept for backward
    label: str
    place: Place
    module: str
    phase: str  # "forward", "backward" or "end"


@dataclass(slots=True)
class _Life:
    """When a piece of memory was first saved, and when the last node let go of it."""

    entry: Saved
    born: int
    died: int | None = None


class track(SavedReport, watching.Watcher):
    """Measure memory while a block runs.

    Live and peak bytes are counted where NumPy allocates, temporaries inside of ops included;
    without machine code (`counted` is False) they are those of the tensors that ops returned.
    Models given are called by their own paths; others by the order in which they are called.

    >>> import chainrule as torch
    >>> from chainrule import memory
    >>> x = torch.ones(1024, 256, requires_grad=True)  # 1 MiB
    >>> with memory.track() as m:
    ...     loss = x.exp().sin().sum()
    ...     loss.backward()
    >>> m.at_peak()["exp"] / 2**20  # the result of exp is kept until backward has used it
    1.0
    >>> m.peak >= 2 * 2**20, m.saved_now
    (True, 0)
    """

    title = "the most kept for backward"

    def __init__(self, *models: Any) -> None:
        super().__init__([])
        self.calls = ModuleCalls(*models)
        self.timeline: list[Moment] = []
        self.counted = True
        self.peak = 0  # the most bytes above the start
        self.live = 0  # bytes above the start at the end
        self.start = 0  # bytes alive at the start
        self._saved_now = 0
        self.saved_peak = 0  # the most that was kept for backward
        self._lives: list[_Life] = []
        self._holders: dict[int, tuple[_Life, set[int]]] = {}  # memory -> nodes that saved it
        self._of_node: dict[int, list[int]] = {}
        self._refs: dict[int, Any] = {}
        # Nodes that ended: noted by C code, in which no Ctrl-C is lost, and looked at afterwards.
        self._ended: list[Any] = []
        self._ran: list[Any] = []  # nodes whose rules ran; they may have let go since
        self._passes = 0
        self._ledger: Ledger | None = None

    # ---- the block -------------------------------------------------------------------------------

    def __enter__(self) -> track:
        self.counted = allocation.count()
        if not self.counted:
            self._ledger = Ledger()
        self.calls.__enter__()
        watching.enter(self)
        allocation.share_out()
        self.start = allocation.live_bytes()
        self._began = time.perf_counter()
        self._note("start", source.user_position(), "forward")
        return self

    def __exit__(self, *exc: object) -> None:
        self._note("end", source.user_position(), "end")
        watching.leave(self)
        self.calls.__exit__(*exc)
        self.live = self.timeline[-1].live
        self.entries = self.at_most_saved().entries
        self._refs.clear()

    @property
    def saved_now(self) -> int:
        """Bytes that are kept for backward at this moment."""
        self._let_go()
        return self._saved_now

    # ---- what is seen ----------------------------------------------------------------------------

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        outs = result if isinstance(result, tuple | list) else (result,)
        for t in outs:
            if isinstance(t, TensorBase):
                if self._ledger is not None and t.__dict__.get("_level") is None:
                    self._ledger.add(t)
                self._save(t._node)
        name = getattr(op, "name", None) or getattr(op, "__name__", str(op))
        self._note(name, source.user_position(), "backward" if self._passes else "forward")

    def pass_begins(self) -> None:
        self._passes += 1

    def pass_ends(self) -> None:
        self._passes -= 1
        self._note("backward ends", (None, 0), "backward")

    def node_ends(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        self._note(node.name(), (node.code, node.lasti), "backward")
        self._ran.append(weakref.ref(node))  # lets go of what it saved when this has returned

    def leaf_ends(self, leaf: Any) -> None:
        if self._ledger is not None and leaf._grad is not None:
            self._ledger.add(leaf._grad)
        self._note("AccumulateGrad", (None, 0), "backward")

    def _note(self, label: str, position: tuple[Any, int], phase: str) -> None:
        self._let_go()
        if self._ledger is None:
            high, live = allocation.share_out() - self.start, allocation.live_bytes() - self.start
        else:
            live = high = self._ledger.live()
        self.peak = max(self.peak, high)
        self.saved_peak = max(self.saved_peak, self.saved_now)
        place = place_of(*position) if position[0] is not None else UNKNOWN
        seconds = time.perf_counter() - self._began
        self.timeline.append(
            Moment(seconds, live, high, self.saved_now, label, place, self.calls.path, phase)
        )

    # ---- what is saved ---------------------------------------------------------------------------

    def _save(self, node: Any) -> None:
        self._let_go()
        node = node.node if node.__class__ is OutSlot else node
        if not isinstance(node, Node) or node.key in self._of_node:
            return
        roots = self._of_node[node.key] = []
        key = node.key
        op = Vertex(key, node, None).op
        for name, array, kind in held_arrays(node):
            root = memory_root(array)
            known = self._holders.get(id(root))
            if known is None:
                made = entry(op, name, node_place(node), self.calls.path, array, kind, root.nbytes)
                known = self._holders[id(root)] = (_Life(made, len(self.timeline)), set())
                self._lives.append(known[0])
                if made.kind != "parameter":
                    self._saved_now += made.bytes
            else:
                known[0].entry.nodes += 1
            if key not in known[1]:  # one op may keep several views of the same memory
                known[1].add(key)
                roots.append(id(root))
        self._refs[key] = weakref.KeyedRef(node, self._ended.append, key)

    def _let_go(self) -> None:
        while self._ended:
            self._release(self._ended.pop(0).key)
        for reference in self._ran:
            node = reference()
            if node is not None and node.s is None:
                self._release(node.key)
        self._ran.clear()

    def _release(self, key: int) -> None:
        for root in self._of_node.pop(key, ()):
            life, holders = self._holders[root]
            holders.discard(key)
            if not holders:
                del self._holders[root]
                life.died = len(self.timeline)
                if life.entry.kind != "parameter":
                    self._saved_now -= life.entry.bytes
        self._refs.pop(key, None)

    # ---- questions -------------------------------------------------------------------------------

    def peak_moment(self) -> int:
        """The place in `timeline` at which the most memory was alive."""
        return max(range(len(self.timeline)), key=lambda k: self.timeline[k].peak, default=0)

    def kept_at(self, moment: int) -> list[Saved]:
        """What was kept for backward at a place of the timeline."""
        return [
            life.entry
            for life in self._lives
            if life.born <= moment and (life.died is None or life.died > moment)
        ]

    def at_peak(self, what: str = "op") -> dict[str, int]:
        """Bytes kept for backward when most memory was alive, by "op", "line" or "module"."""
        return SavedReport(self.kept_at(self.peak_moment())).by(what)

    def at_most_saved(self) -> SavedReport:
        """What was kept when the most was kept: usually at the end of the forward pass."""
        most = max(range(len(self.timeline)), key=lambda k: self.timeline[k].saved, default=0)
        return SavedReport(self.kept_at(most))

    # ---- as text and pictures --------------------------------------------------------------------

    def tables(self) -> list[Table]:
        top = self.timeline[self.peak_moment()] if self.timeline else None
        rows = [
            ("at the start", in_units(self.start)),
            ("peak above it", in_units(self.peak)),
            ("still there at the end", in_units(self.live)),
            ("most kept for backward", in_units(self.saved_peak)),
        ]
        notes = []
        if top is not None:
            where = f" ({top.place.label})" if top.place.line else ""
            notes.append(f"the peak was in {top.label}{where}, in the {top.phase} pass")
        if not self.counted:
            notes.append(
                "without machine code only tensors that ops returned are counted: gradients on "
                "their way and temporary arrays are missing"
            )
        return [Table("memory", ("what", "bytes"), rows, notes), *super().tables()]

    def blocks(self) -> list[Block]:
        return [*self.tables(), *self.groups()]

    def pictures(self) -> list[str]:
        return [self.to_svg(), *super().pictures()]

    def to_svg(self) -> str:
        """The timeline: memory alive, and what of it is kept for backward."""
        ms = [m.time * 1e3 for m in self.timeline]
        most = self.timeline[self.peak_moment()] if self.timeline else None
        marks = [] if most is None else [(most.time * 1e3, most.peak / 2**20, "peak")]
        return line_chart(
            [
                ("alive", ms, [m.peak / 2**20 for m in self.timeline]),
                ("kept for backward", ms, [m.saved / 2**20 for m in self.timeline]),
            ],
            title="memory over time", x_label="ms", y_label="MiB", marks=marks,
        )  # fmt: skip

    def plot(self, ax: Any = None) -> Any:
        """The timeline as a matplotlib plot; returns its axes."""
        if ax is None:
            from matplotlib import pyplot  # type: ignore[import-not-found]

            ax = pyplot.figure().gca()
        ms = [m.time * 1e3 for m in self.timeline]
        ax.plot(ms, [m.peak / 2**20 for m in self.timeline], label="alive")
        ax.plot(ms, [m.saved / 2**20 for m in self.timeline], label="kept for backward")
        ax.set_xlabel("ms")
        ax.set_ylabel("MiB")
        ax.legend()
        return ax

    def facts(self) -> dict[str, Any]:
        return {
            "start": self.start, "peak": self.peak, "live": self.live, "counted": self.counted,
            "saved_peak": self.saved_peak,
            "timeline": [
                {
                    "time": m.time, "live": m.live, "peak": m.peak, "saved": m.saved,
                    "label": m.label, "line": m.place.line, "module": m.module, "phase": m.phase,
                }
                for m in self.timeline
            ],
            **super().facts(),
        }  # fmt: skip


explain_module(globals())
