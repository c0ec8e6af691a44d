"""Memory planning: results written straight into inputs, and one arena shared by temporaries."""

from __future__ import annotations

from typing import Any

from ..graph.views import Buffer, View
from .calls import ExternCall, KernelCall
from .schedule import Schedule
from .side_by_side import bring_together

ALIGNMENT = 64


class MemoryPlan:
    """Byte offsets of all temporary buffers in one arena, and what sharing saved."""

    def __init__(self, schedule: Schedule) -> None:
        self.direct_writes = _write_directly(schedule)
        schedule.calls = bring_together(schedule.calls)
        self.reused = 0
        lives = _lifetimes(schedule)
        self.total = sum(_aligned(b.nbytes) for b in lives)
        self.shared = _share_in_place(schedule, lives)
        self.size = self._pack(lives)

    def _pack(self, lives: dict[Buffer, list[int]]) -> int:
        """First fit, the largest first; buffers whose lives overlap never overlap in memory."""
        placed: list[tuple[int, int, list[int]]] = []
        size = 0
        leaders = [b for b in lives if self.leader(b) is b]
        for buffer in sorted(leaders, key=lambda b: (-b.nbytes, lives[b][0], b.index)):
            first, last = lives[buffer]
            need = _aligned(buffer.nbytes)
            offset = 0
            for start, end, other in sorted(placed, key=lambda p: (p[0], p[1])):
                if other[1] < first or other[0] > last:
                    continue
                if offset + need <= start:
                    break
                offset = max(offset, end)
            buffer.offset = offset
            placed.append((offset, offset + need, lives[buffer]))
            size = max(size, offset + need)
        for buffer in lives:
            buffer.offset = self.leader(buffer).offset
        return size

    def leader(self, buffer: Buffer) -> Buffer:
        """The buffer whose memory this one uses."""
        while buffer in self.shared:
            buffer = self.shared[buffer]
        return buffer


def _aligned(nbytes: int) -> int:
    return -(-max(nbytes, 1) // ALIGNMENT) * ALIGNMENT


def _lifetimes(schedule: Schedule) -> dict[Buffer, list[int]]:
    """First write and last use of every temporary buffer, as positions in the schedule."""
    lives: dict[Buffer, list[int]] = {}
    for i, call in enumerate(schedule.calls):
        for buffer in (*call.writes(), *call.reads()):
            if buffer.kind == "temp":
                lives.setdefault(buffer, [i, i])[1] = i
    return lives


# ---- in-place --------------------------------------------------------------------------------


def _may_overwrite(call: Any, read: Buffer, written: Buffer) -> bool:
    """Whether a kernel may store `written` over `read`: same elements, read before written.

    A kernel with folds reads a row several times, so it never overwrites what it reads.
    """
    if not isinstance(call, KernelCall) or any(n.op == "fold" for n in call.kernel.nodes):
        return False
    targets = [to for _, to in call.kernel.stores if call.pointers[to.argument][0] is written]
    sums = [to for _, _, to, _ in call.kernel.accumulates]
    if len(targets) != 1 or any(call.pointers[to.argument][0] is written for to in sums):
        return False
    offset = call.pointers[targets[0].argument][1]
    for node in call.kernel.nodes:
        if node.op == "take" and call.pointers[node.value[0].argument][0] is read:
            return False
        if node.op != "load" or call.pointers[node.value.argument][0] is not read:
            continue
        if node.value.strides != targets[0].strides:
            return False
        if call.pointers[node.value.argument][1] != offset:
            return False
    return True


def _share_in_place(schedule: Schedule, lives: dict[Buffer, list[int]]) -> dict[Buffer, Buffer]:
    """Let results take over the memory of an operand that dies in the same kernel."""
    shared: dict[Buffer, Buffer] = {}
    taken: set[Buffer] = set()
    for i, call in enumerate(schedule.calls):
        if not isinstance(call, KernelCall):
            continue
        for written in call.writes():
            if written.kind != "temp" or lives[written][0] != i or written in shared:
                continue
            for read in call.reads():
                fits = read.kind == "temp" and read.nbytes == written.nbytes and read not in taken
                if fits and lives[read][1] == i and _may_overwrite(call, read, written):
                    leader = read
                    while leader in shared:
                        leader = shared[leader]
                    shared[written] = leader
                    taken.add(read)
                    lives[leader][1] = lives[written][1]
                    break
    return shared


def _may_fail(call: Any) -> bool:
    """Whether a call checks an index or runs code that may raise."""
    return isinstance(call, ExternCall) or (
        isinstance(call, KernelCall) and bool(call.kernel.checks())
    )


class _Uses:
    """Who makes, reads and shows each buffer, kept up to date while buffers are replaced."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.position = {id(call): i for i, call in enumerate(schedule.calls)}
        # What may end the plan: nothing is written before the last of these.
        self.last_check = max(
            (i for i, call in enumerate(schedule.calls) if _may_fail(call)), default=-1
        )
        inputs = zip(schedule.graph.inputs, schedule.input_buffers, strict=True)
        self.room = {buffer for value, buffer in inputs if value.room}
        self.writers: dict[Buffer, list[Any]] = {}
        self.readers: dict[Buffer, list[Any]] = {}
        self.views: dict[Buffer, list[Any]] = {}
        for call in schedule.calls:
            for buffer in call.writes():
                self.writers.setdefault(buffer, []).append(call)
            for buffer in call.reads():
                self.readers.setdefault(buffer, []).append(call)
        for view in [*schedule.views.values(), *schedule.outputs]:
            if isinstance(view, View):
                self.views.setdefault(view.buffer, []).append(view)

    def allow(self, copy: KernelCall, source: Buffer, target: Buffer) -> bool:
        """Whether the source of a copy may be computed straight into its target."""
        makers = self.writers.get(source, [])
        others = [c for c in self.writers.get(target, []) if c is not copy]
        if len(makers) != 1 or others:
            return False
        (maker,) = makers
        made = self.position[id(maker)]
        if made <= self.last_check and target not in self.room:
            return False
        readers = [c for c in self.readers.get(target, []) if c is not copy]
        if any(self.position[id(c)] > made for c in readers):
            return False
        return maker not in readers or _may_overwrite(maker, target, source)

    def replace(self, copy: KernelCall, old: Buffer, new: Buffer) -> None:
        """Drop the copy and make every call use the new buffer in place of the old one."""
        for uses in (self.writers, self.readers):
            kept = [c for c in uses.get(new, []) if c is not copy]
            uses[new] = kept + [c for c in uses.pop(old, []) if c is not copy]
        for call in {id(c): c for c in self.writers[new] + self.readers[new]}.values():
            _rename(call, old, new)
        shown = self.views.pop(old, [])
        for view in shown:
            view.buffer = new
        self.views.setdefault(new, []).extend(shown)


def _rename(call: Any, old: Buffer, new: Buffer) -> None:
    if isinstance(call, KernelCall):
        call.pointers = [(new if b is old else b, offset) for b, offset in call.pointers]
        return
    views = [*call.operands(), call.c] if hasattr(call, "c") else call.operands
    for view in views:
        if getattr(view, "buffer", None) is old:
            view.buffer = new


def _write_directly(schedule: Schedule) -> int:
    """Replace `temp = f(...); ...; input = temp` by computing into the input where that is safe.

    Safe means: nobody reads the input's old value after the call that computes the new one, and
    that call itself reads it only at the element it is about to write.
    """
    uses = _Uses(schedule)
    dropped: set[int] = set()
    replaced: set[Buffer] = set()
    for copy in [c for c in schedule.calls if _is_plain_copy(c)]:
        source, target = copy.pointers[0][0], copy.pointers[1][0]
        if source.kind != "temp" or target.kind != "input":
            continue
        if uses.allow(copy, source, target):
            uses.replace(copy, source, target)
            dropped.add(id(copy))
            replaced.add(source)
    schedule.calls = [c for c in schedule.calls if id(c) not in dropped]
    temporaries = schedule.buffers["temp"]
    schedule.buffers["temp"] = [b for b in temporaries if b not in replaced]
    return len(dropped)


def _is_plain_copy(call: Any) -> bool:
    if not isinstance(call, KernelCall) or len(call.pointers) != 2:
        return False
    kernel = call.kernel
    if [n.op for n in kernel.nodes] != ["load"] or len(kernel.stores) != 1:
        return False
    (_, to) = kernel.stores[0]
    same = kernel.nodes[0].value.strides == to.strides and len(kernel.space) == 1
    whole = call.pointers[0][0].size == call.pointers[1][0].size
    words = 2 if call.pointers[0][0].dtype.itemsize == 16 else 1
    whole = whole and kernel.space[0] == words * call.pointers[0][0].size
    return same and whole and call.pointers[0][1] == call.pointers[1][1] == 0
