"""Fusion: which instructions run in one loop nest.

Instructions are gathered into *units*: a loop (one kernel), a matrix product, or an extern call.
A loop has a space, the shape of its full-size values.  Every value inside is placed in the space:
for each of its axes, the axis of the space it runs along.  An instruction joins a loop that
computes one of its operands when its own placement follows and when nothing outside the loop would
have to run both before and after it.  Loops near each other that read the same array become one as
well: it is read once.  Moves (transpose, broadcast, ...) are no units: operands are
followed through them to the value they rearrange.
"""

from __future__ import annotations

from collections import Counter
from heapq import heapify, heappop, heappush

from ..graph.op_table import lookup, lowering
from ..graph.program import Graph, Instr, Value
from ..graph.views import axis_map
from ..scalars.expressions import supported

Placement = tuple[int | None, ...]

# More instructions than this in one loop only cost registers and compile time.
_LIMIT = 200
# Instructions do not join a loop that is further away than this: what the backward pass computes
# from saved values would be drawn into the forward pass, and kept beside them.
_NEAR = 64
_LARGE_PRODUCT, _LEAST_SIDE = 1_200_000, 32  # multiplications; rows and columns
_WORTH_READING_ONCE = 1 << 12  # elements


class Unit:
    """A step of the schedule before it has memory."""

    __slots__ = ("deps", "finals", "instrs", "kind", "merged", "places", "space")

    def __init__(self, kind: str, space: tuple[int, ...] = ()) -> None:
        self.kind = kind  # "loop", "gemm", "join" or "extern"
        self.space = space
        self.instrs: list[Instr] = []
        self.places: dict[Value, Placement] = {}
        self.finals: set[Value] = set()  # complete only when the loop has ended
        self.deps: set[Unit] = set()
        self.merged: Unit | None = None  # the unit that it has become part of


class Source:
    """What an operand really reads: a value, and for each axis of the operand an axis of it."""

    __slots__ = ("axes", "value")

    def __init__(self, value: Value, axes: Placement) -> None:
        self.value = value
        self.axes = axes


class Fusion:
    """The grouping of one graph."""

    def __init__(self, graph: Graph, products: bool = True) -> None:
        self.graph = graph
        self.products = products  # False: matrix products are extern calls
        self.made = graph.producers()
        self.order = {id(instr): i for i, instr in enumerate(graph.instrs)}
        self.unit_of: dict[Value, Unit] = {}
        self.units: list[Unit] = []
        self.sources: dict[Value, Source] = {}
        self.readers: dict[Value, list[Unit]] = {}  # loops that load a value
        self._last_draw: Unit | None = None
        self._uses = Counter(v for instr in graph.instrs for v in instr.values)
        self._uses.update(graph.results())
        for instr in graph.instrs:
            self._place(instr)
        self._materialise_indices()

    # ---- following operands ------------------------------------------------------------------

    def source(self, value: Value) -> Source:
        """Follow a value through moves that keep whole axes."""
        found = self.sources.get(value)
        if found is None:
            found = self.sources[value] = self._follow(value)
        return found

    def _follow(self, value: Value) -> Source:
        instr = self.made.get(value)
        if instr is not None and lowering(instr.op).tag == "move":
            axes = axis_map(instr)
            if axes is not None:
                inner = self.source(instr.inputs[0])
                composed = tuple(None if a is None else inner.axes[a] for a in axes)
                return Source(inner.value, composed)
        return Source(value, tuple(range(value.ndim)))

    def origin(self, value: Value) -> Value:
        """The value whose memory this one shows, through moves of every kind."""
        instr = self.made.get(value)
        while instr is not None and lowering(instr.op).tag == "move":
            value = instr.inputs[0]
            instr = self.made.get(value)
        return value

    def is_index(self, value: Value) -> bool:
        """Whether a value is a bare position, computed wherever it is read."""
        instr = self.made.get(value)
        return instr is not None and instr.op == "iota"

    # ---- grouping ----------------------------------------------------------------------------

    def _place(self, instr: Instr) -> None:
        tag = lowering(instr.op).tag
        if tag in ("move", "index"):
            return
        fits = supported(instr)
        product = self._product_of_bias(instr) if instr.op == "add" else None
        if product is not None:
            self._add(product, instr)
        elif fits and tag in ("pointwise", "reduce", "take", "scatter"):
            self._place_in_loop(instr, tag)
        else:
            product = fits and tag == "contract" and self.products
            joined = tag == "join" and all(v.dtype == instr.outputs[0].dtype for v in instr.values)
            unit = self._new_unit("gemm" if product else "join" if joined else "extern", instr)
            if lookup(instr.op).random:
                if self._last_draw is not None:
                    unit.deps.add(self._last_draw)  # draws keep the order of the stream
                self._last_draw = unit

    def _product_of_bias(self, instr: Instr) -> Unit | None:
        """The large product whose rows this instruction adds a bias to, if nothing else reads it:
        the product does that when it writes them.
        """
        if not all(isinstance(x, Value) for x in instr.inputs):
            return None
        for x, bias in (instr.inputs, instr.inputs[::-1]):
            unit = self.unit_of.get(x)
            alone = unit is not None and unit.kind == "gemm" and len(unit.instrs) == 1
            if not alone or self._uses[x] > 1 or bias.weak or bias.dtype != x.dtype:
                continue
            row = x.ndim == 2 and bias.shape in ((x.shape[1],), (1, x.shape[1]))
            maker = self.unit_of.get(self.origin(bias))
            if (
                row
                and self._is_large(unit.instrs[0])  # pyright: ignore[reportOptionalMemberAccess]
                and not (maker and self._reaches(maker, unit))  # pyright: ignore[reportArgumentType]
            ):
                return unit
        return None

    def _is_large(self, product: Instr) -> bool:
        """Whether it is certain to run as a blocked product, not as a loop of its own."""
        (m, n), a = product.outputs[0].shape, product.inputs[0]
        k = a.size // max(1, m)
        return m * n * k > _LARGE_PRODUCT and min(m, n) >= _LEAST_SIDE and k >= 8

    def _new_unit(self, kind: str, instr: Instr, space: tuple[int, ...] = ()) -> Unit:
        unit = Unit(kind, space)
        self.units.append(unit)
        self._add(unit, instr)
        return unit

    def _add(self, unit: Unit, instr: Instr) -> None:
        unit.instrs.append(instr)
        for v in instr.outputs:
            self.unit_of[v] = unit
        if unit.kind == "loop":
            for v in _aligned(instr):
                read = self.source(v).value
                if self.unit_of.get(read) is not unit:
                    self.readers.setdefault(read, []).append(unit)
        unit.deps |= self._outside(unit, instr)

    def _outside(self, unit: Unit, instr: Instr) -> set[Unit]:
        units = (self.unit_of.get(self.origin(v)) for v in instr.values)
        return {u for u in units if u is not None and u is not unit}

    def _place_in_loop(self, instr: Instr, tag: str) -> None:
        chosen: Unit | None = None
        for candidate in self._candidates(instr):
            if chosen is None:
                if self._joins(instr, tag, candidate):
                    chosen = candidate
            elif candidate.space == chosen.space and self._can_merge(instr, chosen, candidate):
                self._merge(chosen, candidate)
        if chosen is not None:
            place = self._placement(instr, tag, chosen)
            assert place is not None
            self._add(chosen, instr)
            self._finish(instr, tag, chosen, place)
            return
        space = _full_shape(instr, tag)
        unit = self._new_unit("loop", instr, space)
        place = self._placement(instr, tag, unit)
        assert place is not None
        self._finish(instr, tag, unit, place)

    def _candidates(self, instr: Instr) -> list[Unit]:
        found: list[Unit] = []
        for v in _aligned(instr):
            unit = self.unit_of.get(self.source(v).value)
            loop = unit is not None and unit.kind == "loop"
            if loop and unit not in found and self._is_near(instr, unit):  # pyright: ignore[reportArgumentType]
                found.append(unit)  # pyright: ignore[reportArgumentType]
        # Prefer the loop over the larger space: the smaller one may merge or be read from memory.
        return sorted(found, key=lambda u: -_size(u.space)) + self._beside(instr, found)

    def _beside(self, instr: Instr, known: list[Unit]) -> list[Unit]:
        """Loops over the same space, not far before, that read a full-size operand too."""
        shape = _full_shape(instr, lowering(instr.op).tag)
        found: list[Unit] = []
        for v in _aligned(instr):
            if v.shape != shape or v.size < _WORTH_READING_ONCE:
                continue
            for unit in self.readers.get(self.source(v).value, ()):
                while unit.merged is not None:
                    unit = unit.merged
                fits = unit.space == shape and unit not in known and unit not in found
                if fits and self._is_near(instr, unit):
                    found.append(unit)
        return found

    def _is_near(self, instr: Instr, unit: Unit) -> bool:
        return self.order[id(instr)] - self.order[id(unit.instrs[-1])] < _NEAR

    def _finish(self, instr: Instr, tag: str, unit: Unit, place: Placement) -> None:
        """Record where the result lies in the space, and whether it is complete inside."""
        (out,) = instr.outputs
        if tag == "scatter":
            unit.places[out] = ()
            unit.finals.add(out)
            return
        if tag != "reduce":
            unit.places[out] = place
            return
        axes = {a % instr.inputs[0].ndim for a in instr.params["axis"]}
        keep = instr.params.get("keepdims", False)
        kept = [None if i in axes else p for i, p in enumerate(place) if keep or i not in axes]
        unit.places[out] = tuple(kept)
        folded = {place[i] for i in axes if place[i] is not None}
        if folded != {len(unit.space) - 1}:
            unit.finals.add(out)

    def _joins(self, instr: Instr, tag: str, unit: Unit) -> bool:
        if len(unit.instrs) >= _LIMIT or self._placement(instr, tag, unit) is None:
            return False
        return not any(self._reaches(u, unit) for u in self._outside(unit, instr))

    def _placement(self, instr: Instr, tag: str, unit: Unit) -> Placement | None:
        """Where the instruction's full-size operand or result lies in the unit's space."""
        shape = _full_shape(instr, tag)
        if shape == unit.space:
            place: Placement | None = tuple(i if n > 1 else None for i, n in enumerate(shape))
        else:
            place = self._inherited(instr, shape, unit)
        aligned = _aligned(instr)
        if place is None or not all(self._agrees(v, shape, place, unit) for v in aligned):
            return None
        if tag in ("reduce", "scatter") and not _fills(place, unit.space):
            return None
        # What is read at computed places must be complete before the loop starts.
        others = [v for v in instr.values if v not in aligned]
        return None if any(self.unit_of.get(self.origin(v)) is unit for v in others) else place

    def _inherited(self, instr: Instr, shape: tuple[int, ...], unit: Unit) -> Placement | None:
        """The placement that operands inside the unit dictate; None when some axis is open."""
        place: list[int | None] = [None] * len(shape)
        for v in _aligned(instr):
            source = self.source(v)
            inside = unit.places.get(source.value)
            if inside is None or source.value in unit.finals:
                continue
            for j, axis in enumerate(source.axes):
                if axis is not None and v.shape[j] > 1:
                    place[j + len(shape) - v.ndim] = inside[axis]
        open_axis = any(n > 1 and p is None for n, p in zip(shape, place, strict=True))
        used = [p for p in place if p is not None]
        return None if open_axis or len(set(used)) != len(used) else tuple(place)

    def _agrees(self, v: Value, shape: tuple[int, ...], place: Placement, unit: Unit) -> bool:
        """Whether an operand made inside the unit is met at the very element being computed."""
        source = self.source(v)
        if self.unit_of.get(source.value) is not unit:
            # A view of another kind on a value of this unit would have to wait for its end.
            return self.unit_of.get(self.origin(v)) is not unit
        if source.value in unit.finals:
            return False
        inside = unit.places[source.value]
        lead = len(shape) - v.ndim
        for j, axis in enumerate(source.axes):
            if axis is not None and v.shape[j] > 1 and inside[axis] != place[j + lead]:
                return False
        return True

    # ---- merging -----------------------------------------------------------------------------

    def _can_merge(self, instr: Instr, into: Unit, other: Unit) -> bool:
        if len(into.instrs) + len(other.instrs) >= _LIMIT:
            return False
        tag = lowering(instr.op).tag
        if self._placement(instr, tag, other) != self._placement(instr, tag, into):
            return False
        outer = (into.deps | other.deps | self._outside(into, instr)) - {into, other}
        if any(self._reaches(u, into) or self._reaches(u, other) for u in outer):
            return False
        return not self._reads_final(into, other) and not self._reads_final(other, into)

    def _reads_final(self, reader: Unit, maker: Unit) -> bool:
        """Whether a unit loads anything another makes: inside one loop it may be incomplete."""
        return maker in reader.deps

    def _merge(self, into: Unit, other: Unit) -> None:
        into.instrs.extend(other.instrs)
        into.instrs.sort(key=lambda i: self.order[id(i)])
        into.places.update(other.places)
        into.finals |= other.finals
        into.deps = (into.deps | other.deps) - {into, other}
        for instr in other.instrs:
            for v in instr.outputs:
                self.unit_of[v] = into
        other.merged = into
        self.units.remove(other)
        for unit in self.units:
            if other in unit.deps:
                unit.deps.discard(other)
                if unit is not into:
                    unit.deps.add(into)

    def _reaches(self, start: Unit, target: Unit) -> bool:
        """Whether `start` must run after `target`."""
        seen: set[Unit] = set()
        stack = [start]
        while stack:
            unit = stack.pop()
            if unit is target:
                return True
            if unit not in seen:
                seen.add(unit)
                stack.extend(unit.deps)
        return False

    # ---- results -----------------------------------------------------------------------------

    def _materialise_indices(self) -> None:
        """Positions that something other than a loop reads get a loop of their own."""
        wanted = [v for v in self.graph.results() if self.is_index(self.origin(v))]
        for unit in self.units:
            for instr in unit.instrs:
                for v in instr.values:
                    in_loop = unit.kind == "loop" and self.is_index(self.source(v).value)
                    if self.is_index(self.origin(v)) and not in_loop:
                        wanted.append(v)
        for v in dict.fromkeys(self.origin(v) for v in wanted):
            unit = self._new_unit("loop", self.made[v], v.shape)
            unit.places[v] = tuple(range(v.ndim))
            for user in self.units:
                if user is not unit and user.kind != "loop":
                    user.deps |= self._outside(user, user.instrs[0])

    def scheduled(self) -> list[Unit]:
        """The units in an order that respects what each reads, otherwise as traced."""
        waiting = {u: len(u.deps) for u in self.units}
        users: dict[Unit, list[Unit]] = {u: [] for u in self.units}
        for u in self.units:
            for d in u.deps:
                users[d].append(u)
        position = {u: self.order[id(u.instrs[-1])] for u in self.units}
        ready = [(position[u], i, u) for i, u in enumerate(self.units) if not waiting[u]]
        heapify(ready)
        result: list[Unit] = []
        while ready:
            _, _, unit = heappop(ready)
            result.append(unit)
            for user in users[unit]:
                waiting[user] -= 1
                if not waiting[user]:
                    heappush(ready, (position[user], len(result) + len(self.units), user))
        assert len(result) == len(self.units), "units depend on each other in a circle"
        return result

    def needed_outside(self) -> set[Value]:
        """Values that must be in memory: read by another unit, or a result of the graph."""
        # (An array read at computed places is never of the reader's own unit.)
        needed = {self.origin(v) for v in self.graph.results()}
        for unit in self.units:
            for instr in unit.instrs:
                for v in instr.values:
                    maker = self.unit_of.get(self.source(v).value)
                    if maker is not unit:
                        needed.add(self.origin(v))
        return needed


def _fills(place: Placement, space: tuple[int, ...]) -> bool:
    """Whether a value has an element for every round of the outer loops: it is added in each."""
    return all(i in place for i, n in enumerate(space[:-1]) if n > 1)


def _full_shape(instr: Instr, tag: str) -> tuple[int, ...]:
    """The shape an instruction iterates over."""
    return (instr.inputs[0] if tag in ("reduce", "scatter") else instr.outputs[0]).shape


def _aligned(instr: Instr) -> list[Value]:
    """The operands that are read at the element being computed."""
    skip = 1 if lowering(instr.op).tag == "take" else 0
    return [x for x in instr.inputs[skip:] if isinstance(x, Value)]


def _size(shape: tuple[int, ...]) -> int:
    count = 1
    for n in shape:
        count *= n
    return count
