"""Writes a `Kernel` as LLVM assembly: loops over rows, vectors along the inner axis.

Whole vectors run in a loop (unrolled when short), the rest of a row as one masked vector.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from ..loops.nest import Access, Kernel, Put
from ..scalars.functions import Node, expensive, function, identity, wide_product
from ..text.assembly import FLOATS, ITEM_BYTES, Function, Lanes, Reg, memory_type
from .folds import BLOCK_VECTORS, ROWS_TOGETHER, SCRATCH_BYTES, Folds

_UNROLL_VECTORS = 4


def emit_kernel(kernel: Kernel, name: str, vector_bytes: int, declarations: set[str]) -> str:
    """The definition of `void name(ptr, ptr, ..., i64 n)`."""
    return _Emitter(kernel, vector_bytes, declarations).emit(name)


def lane_count(kernel: Kernel, vector_bytes: int) -> int:
    """Lanes of one vector: what fits for the widest float (else the widest type), or the row."""
    totals = {to.argument for _, _, to, _ in kernel.accumulates}  # may be wider than what they add
    dtypes = {n.dtype for n in kernel.nodes}
    dtypes |= {d for i, d in enumerate(kernel.arguments) if i not in totals}
    widest = max([ITEM_BYTES[d] for d in dtypes if d in FLOATS] or [ITEM_BYTES[d] for d in dtypes])
    lanes = vector_bytes // widest
    inner = kernel.space[-1]
    while lanes > 1 and lanes // 2 >= inner:
        lanes //= 2
    return lanes


class _Emitter(Folds):
    """The state of writing one kernel."""

    def __init__(self, kernel: Kernel, vector_bytes: int, declarations: set[str]) -> None:
        self.kernel = kernel
        self.f = Function(declarations)
        self.lanes = Lanes(self.f, lane_count(kernel, vector_bytes))
        self.scalar = Lanes(self.f, 1)
        self.inner = len(kernel.space) - 1
        self.single = math.prod(kernel.space) == 1
        self.rows: dict[int, Reg] = {}  # nodes computed once per row
        self.pointers: dict[Access, str] = {}  # address of the row's start
        self.scratch: dict[int, str] = {}  # node -> its values of this row, from an earlier phase
        self.spilling: dict[int, str] = {}  # the same, being written in the current phase
        self.position: list[str] = []
        self.doubles: dict[str, str] = {}
        self.sums_of_rows: dict[Access, str] = {}
        self._classify()

    def _classify(self) -> None:
        """Which nodes vary along the row, in which phase each is ready, how dear each is."""
        self.varies: list[bool] = []
        self.phase: list[int] = []
        self.dear: list[bool] = []
        for node in self.kernel.nodes:
            phase = max((self.phase[a] for a in node.args), default=0)
            if node.op == "load":
                varies = node.value.strides[self.inner] != 0
            elif node.op == "index":
                varies = node.value == self.inner
            elif node.op == "fold":
                varies, phase = False, phase + 1
            elif node.op == "take":
                moving = node.value[0].strides[self.inner] != 0
                varies = moving or any(self.varies[a] for a in node.args)
            else:
                varies = any(self.varies[a] for a in node.args)
            dear = varies and (expensive(node.op) or any(self.dear[a] for a in node.args))
            self.varies.append(varies)
            self.phase.append(phase)
            self.dear.append(dear)

    # ---- structure ---------------------------------------------------------------------------

    def emit(self, name: str) -> str:
        kernel = self.kernel
        self._clear_accumulators()
        self._make_room_for_sums()
        with ExitStack() as loops:
            for size in kernel.space[:-1]:
                index = loops.enter_context(self.f.loop(str(size))) if size > 1 else "0"
                self.position.append(index)
            self.position.append("?")
            for phase in range(1 + max(self.phase, default=0)):
                self._emit_phase(phase)
            self._settle_sums()
        pointers = ", ".join(f"ptr %a{i}" for i in range(len(kernel.arguments)))
        return self.f.text(f"internal void @{name}({pointers}, i64 %n) noinline nounwind")

    def _put_phase(self, put: Put) -> int:
        return max(self.phase[n] for n in (put.node, *put.indices))

    def _clear_accumulators(self) -> None:
        """Set every accumulated argument to the fold's identity first."""
        for put in self.kernel.scatters:
            dtype = self.kernel.arguments[put.to.argument]
            with self.f.loop(str(put.size)) as i:
                address = self._element(put.to.argument, f"%a{put.to.argument}", i)
                self._store(self.scalar, self.scalar.const(dtype, 0), dtype, address, None)
        for kind, node, to, _ in self.kernel.accumulates:
            dtype = self.kernel.arguments[to.argument]
            start = self.scalar.const(dtype, identity(kind, self.kernel.nodes[node].dtype))
            with ExitStack() as loops:
                terms = []
                for size, stride in zip(self.kernel.space, to.strides, strict=True):
                    if stride and size > 1:
                        index = loops.enter_context(self.f.loop(str(size)))
                        terms.append(self.f.offset(index, stride))
                address = self._element(to.argument, f"%a{to.argument}", self.f.add_offsets(terms))
                self._store(self.scalar, start, dtype, address, None)

    def _emit_phase(self, phase: int) -> None:
        nodes = self.kernel.nodes
        folds = [
            i for i, n in enumerate(nodes) if n.op == "fold" and self.phase[n.args[0]] == phase
        ]
        stores = [(n, to) for n, to in self.kernel.stores if self.phase[n] == phase]
        sums = [entry for entry in self.kernel.accumulates if self.phase[entry[1]] == phase]
        scatters = [p for p in self.kernel.scatters if self._put_phase(p) == phase]
        puts = [p for p in scatters if p.along]
        row_stores = [(n, to) for n, to in stores if not to.strides[self.inner]]
        stores = [(n, to) for n, to in stores if to.strides[self.inner]]
        row_sums = [s for s in sums if not s[2].strides[self.inner] and s[3]]
        of_rows = [s for s in sums if not s[2].strides[self.inner] and not s[3]]
        sums = [s for s in sums if s[2].strides[self.inner]]

        self._prepare_rows(phase, folds, stores, sums, row_sums)
        self.doubles = {}
        accumulators = {i: self._accumulator(nodes[i].value, nodes[i].args[0]) for i in folds}
        partial = {k: self._accumulator(s[0], s[1]) for k, s in enumerate(row_sums)}
        spilled = self._spills(phase)

        def body(offset: str, mask: Reg | None) -> None:
            values: dict[int, Reg] = {}
            for i in folds:
                self._fold(accumulators[i], nodes[i].value, nodes[i].args[0], values, offset, mask)
            for k, (kind, node, _, _) in enumerate(row_sums):
                self._fold(partial[k], kind, node, values, offset, mask)
            for node in spilled:
                self._spill(node, values, offset, mask)
            # All values before the first store: a result may lie over an operand.
            for node in [n for n, _ in stores] + [s[1] for s in sums]:
                self.value(node, values, offset, mask)
            for put in puts:
                self._put(put, values, offset, mask)
            for node, to in stores:
                self._store_node(values[node], to, offset, mask)
            for kind, node, to, _ in sums:
                self._accumulate(kind, values[node], to, offset, mask)

        if folds or row_sums or stores or sums or spilled or puts:
            self._inner_loop(body)
        for node in spilled:
            self.scratch[node] = self.spilling.pop(node)
        for i in folds:
            self.rows[i] = self._finish(nodes[i].value, accumulators[i], nodes[i].args[0])
        for k, (kind, node, to, _) in enumerate(row_sums):
            total = self._finish(kind, partial[k], node)
            self._accumulate_row(kind, total, to)
        for kind, node, to, _ in of_rows:
            self._accumulate_row(kind, self.row(node), to)
        for put in scatters:
            if not put.along:
                self._put_row(put)
        for node, _ in row_stores:
            self.row(node)
        for node, to in row_stores:
            dtype = self.kernel.arguments[to.argument]
            self._store(self.scalar, self.row(node), dtype, self._row_address(to), None)

    def _prepare_rows(self, phase: int, folds: Any, stores: Any, sums: Any, row_sums: Any) -> None:
        """Compute before the inner loop what does not vary along it."""
        wanted = [self.kernel.nodes[i].args[0] for i in folds]
        wanted += [n for n, _ in stores] + [s[1] for s in sums] + [s[1] for s in row_sums]
        wanted += self._spills(phase)
        wanted += [n for p in self.kernel.scatters for n in (p.node, *p.indices)
                   if self._put_phase(p) == phase]  # fmt: skip
        seen: set[int] = set()
        while wanted:
            node = wanted.pop()
            if node in seen:
                continue
            seen.add(node)
            if self.varies[node]:
                wanted.extend(self.kernel.nodes[node].args)
            elif self.kernel.nodes[node].op != "const":
                self.row(node)
        for access in self._row_accesses():
            self._row_address(access)

    def _row_accesses(self) -> list[Access]:
        loads = [n.value for n in self.kernel.nodes if n.op == "load"]
        loads += [n.value[0] for n in self.kernel.nodes if n.op == "take"]
        loads += [p.to for p in self.kernel.scatters]
        loads += [to for _, to in self.kernel.stores]
        return loads + [entry[2] for entry in self.kernel.accumulates]

    def _spills(self, phase: int) -> list[int]:
        """Dear values of this phase that a later phase reads again: kept in scratch rows."""
        if self.kernel.space[-1] * 8 > SCRATCH_BYTES:
            return []
        later: set[int] = set()
        for i, node in enumerate(self.kernel.nodes):
            if self.varies[i] and self.phase[i] > phase:
                later.update(a for a in node.args if self.phase[a] <= phase)
            if node.op == "fold" and self.phase[node.args[0]] > phase:
                later.add(node.args[0])
        keep = [a for a in later if self.dear[a] and self.phase[a] == phase]
        return sorted(keep)

    def _settle_sums(self) -> None:
        """After some rows and after the last: add what they sum to to the doubles in memory."""
        if not self.sums_of_rows:
            return
        row, last = self.position[-2], self.kernel.space[-2] - 1
        full = self.f.value(f"and i64 {row}, {ROWS_TOGETHER - 1}")
        full = self.f.value(f"icmp eq i64 {full}, {ROWS_TOGETHER - 1}")
        over = self.f.value(f"icmp eq i64 {row}, {last}")
        self.doubles = {}
        with self.f.when(self.f.value(f"or i1 {full}, {over}")):
            self._inner_loop(self._settle)

    # ---- the inner loop ----------------------------------------------------------------------

    def _inner_loop(self, body: Callable[[str, Reg | None], None]) -> None:
        if self.kernel.generic():
            self._generic_inner_loop(body)
            return
        size, lanes = self.kernel.space[-1], self.lanes.count
        whole = size // lanes
        if self.doubles:
            self._in_blocks(whole, body)
        elif whole > _UNROLL_VECTORS:
            with self.f.loop(str(whole * lanes), lanes) as offset:
                body(offset, None)
        else:
            for k in range(whole):
                body(str(k * lanes), None)
        if size % lanes:
            body(str(whole * lanes), self._tail_mask(size % lanes))
            self._add_up()

    def _in_blocks(self, whole: int, body: Callable[[str, Reg | None], None]) -> None:
        """A long row in blocks, after each of which its sums are added to doubles."""
        lanes, f = self.lanes.count, self.f
        block, full = BLOCK_VECTORS * lanes, whole // BLOCK_VECTORS
        with f.loop(str(full * block), block) as start:
            with f.loop(str(block), lanes) as inside:
                body(f.value(f"add i64 {start}, {inside}"), None)
            self._add_up()
        if whole % BLOCK_VECTORS:
            with f.loop(str(whole * lanes - full * block), lanes) as inside:
                body(f.value(f"add i64 {inside}, {full * block}"), None)
            self._add_up()

    def _generic_inner_loop(self, body: Callable[[str, Reg | None], None]) -> None:
        """The length is the argument %n; at least one whole vector is there."""
        lanes, f = self.lanes.count, self.f
        whole = f.value(f"and i64 %n, {-lanes}")
        if self.doubles:
            block = str(BLOCK_VECTORS * lanes)
            with f.loop(whole, BLOCK_VECTORS * lanes) as start:
                left = f.value(f"sub i64 {whole}, {start}")
                short = f.value(f"icmp ult i64 {left}, {block}")
                stop = f.value(f"select i1 {short}, i64 {left}, i64 {block}")
                with f.loop(stop, lanes) as inside:
                    body(f.value(f"add i64 {start}, {inside}"), None)
                self._add_up()
        else:
            with f.loop(whole, lanes) as offset:
                body(offset, None)
        if lanes == 1:
            return
        rest = f.value(f"sub i64 %n, {whole}")
        some = f.value(f"icmp ne i64 {rest}, 0")
        with f.when(some):
            limit = self.lanes.splat(Reg(rest, "i64"))
            mask = self.lanes.compare("lt", self.lanes.iota("0"), limit)
            body(whole, mask)
            self._add_up()

    def _tail_mask(self, count: int) -> Reg:
        bits = ", ".join(f"i1 {'true' if k < count else 'false'}" for k in range(self.lanes.count))
        return Reg(f"<{bits}>", "bool")

    # ---- values ------------------------------------------------------------------------------

    def row(self, node: int) -> Reg:
        """The scalar value of a node that does not vary along the row."""
        found = self.rows.get(node)
        if found is None:
            n = self.kernel.nodes[node]
            if n.op == "load":
                found = self._load(self.scalar, n.dtype, self._row_address(n.value), None)
            elif n.op == "index":
                found = Reg(self.position[n.value], "i64")
            elif n.op == "take":
                places = [self.row(a) for a in n.args]
                base = self._at_places(n.value[0], n.value[1], places)
                found = self._load(self.scalar, n.dtype, base, None)
            else:
                found = self._compute(self.scalar, n, [self.row(a) for a in n.args])
            self.rows[node] = found
        return found

    def value(self, node: int, values: dict[int, Reg], offset: str, mask: Reg | None) -> Reg:
        """The value of a node in the lanes at this offset of the row."""
        found = values.get(node)
        if found is not None:
            return found
        n = self.kernel.nodes[node]
        if n.op == "const":
            found = self.lanes.const(n.dtype, n.value)
        elif not self.varies[node]:
            found = self.lanes.splat(self.row(node))
        elif node in self.scratch:
            address = self.f.value(
                f"getelementptr {memory_type(n.dtype)}, ptr {self.scratch[node]}, i64 {offset}"
            )
            found = self._load(self.lanes, n.dtype, address, mask)
        elif n.op == "load":
            found = self._load_lanes(n.dtype, n.value, offset, mask)
        elif n.op == "index":
            found = self.lanes.iota(offset)
        elif n.op == "take":
            found = self._take(n, values, offset, mask)
        else:
            args = [self.value(a, values, offset, mask) for a in n.args]
            found = self._compute(self.lanes, n, args)
        values[node] = found
        return found

    def _compute(self, w: Lanes, n: Node, args: list[Reg]) -> Reg:
        if n.op == "const":
            return w.const(n.dtype, n.value)
        if n.op == "convert":
            return w.convert(args[0], n.dtype)
        if n.op == "select":
            return w.select(*args)
        if n.op == "check":
            return self._check(w, args[0], *n.value)
        if self.single and n.dtype == "f32" and self._may_vanish(n):
            return wide_product(w, args[0], args[-1])
        emit = function(n.op, args[0].dtype)
        assert emit is not None, f"no code for {n.op} on {args[0].dtype}"
        return emit(w, *args)

    def _may_vanish(self, n: Node) -> bool:
        """Whether a node is a product of products or of numbers from elsewhere."""
        if n.op not in ("mul", "square"):
            return False
        made_by = [self.kernel.nodes[a].op for a in n.args]
        return any(op in ("mul", "square", "neg") for op in made_by) or set(made_by) == {"load"}

    # ---- computed places ---------------------------------------------------------------------

    def _at_places(self, access: Access, strides: Any, places: list[Reg]) -> str:
        """The address in this row for scalar indices."""
        terms = [self.f.offset(p.name, s) for p, s in zip(places, strides, strict=True)]
        return self._element(access.argument, self._row_address(access), self.f.add_offsets(terms))

    def _lane_addresses(
        self, access: Access, strides: Any, nodes: tuple[int, ...], values: dict[int, Reg],
        offset: str, mask: Reg | None,
    ) -> list[str]:  # fmt: skip
        """One address per lane that exists, for indices that vary along the row."""
        indices = [self.value(a, values, offset, mask) for a in nodes]
        live = self.lanes.count if mask is None else self.kernel.space[-1] % self.lanes.count
        inner = access.strides[self.inner]
        addresses = []
        for lane in range(live):
            places = [
                self.f.value(f"extractelement {self.lanes.type('i64')} {i.name}, i32 {lane}")
                if self.lanes.count > 1 else i.name
                for i in indices
            ]  # fmt: skip
            terms = [self.f.offset(p, s) for p, s in zip(places, strides, strict=True)]
            if inner:
                position = self.f.value(f"add i64 {offset}, {lane}")
                terms.append(self.f.offset(position, inner))
            total = self.f.add_offsets(terms)
            addresses.append(self._element(access.argument, self._row_address(access), total))
        return addresses

    def _take(self, n: Node, values: dict[int, Reg], offset: str, mask: Reg | None) -> Reg:
        access, strides = n.value
        inner = access.strides[self.inner]
        if inner == 1 and not any(self.varies[a] for a in n.args):
            base = self._at_places(access, strides, [self.row(a) for a in n.args])
            address = self._element(access.argument, base, offset)
            return self._load(self.lanes, n.dtype, address, mask)
        addresses = self._lane_addresses(access, strides, n.args, values, offset, mask)
        kind = memory_type(n.dtype)
        if self.lanes.count == 1:
            return self._load(self.lanes, n.dtype, addresses[0], None)
        vector = f"<{self.lanes.count} x {kind}>"
        result = "zeroinitializer"
        for lane, address in enumerate(addresses):
            one = self.f.value(f"load {kind}, ptr {address}, align {ITEM_BYTES[n.dtype]}")
            result = self.f.value(f"insertelement {vector} {result}, {kind} {one}, i32 {lane}")
        if n.dtype == "bool":
            result = self.f.value(f"icmp ne {vector} {result}, zeroinitializer")
        return Reg(result, n.dtype)

    def _put(self, put: Put, values: dict[int, Reg], offset: str, mask: Reg | None) -> None:
        """Add lanes into memory one after the other: two may name the same place."""
        value = self.value(put.node, values, offset, mask)
        kind, dtype = memory_type(value.dtype), value.dtype
        addresses = self._lane_addresses(put.to, put.strides, put.indices, values, offset, mask)
        for lane, address in enumerate(addresses):
            one = value.name
            if self.lanes.count > 1:
                one = self.f.value(
                    f"extractelement {self.lanes.type(dtype)} {value.name}, i32 {lane}"
                )
            have = self._load(self.scalar, dtype, address, None)
            total = self.scalar.add(have, Reg(one, dtype))
            self.f.do(f"store {kind} {total.name}, ptr {address}, align {ITEM_BYTES[dtype]}")

    def _put_row(self, put: Put) -> None:
        """Add a number of the whole row into memory."""
        address = self._at_places(put.to, put.strides, [self.row(i) for i in put.indices])
        value = self.row(put.node)
        have = self._load(self.scalar, value.dtype, address, None)
        self._store(self.scalar, self.scalar.add(have, value), value.dtype, address, None)

    def _check(self, w: Lanes, index: Reg, size: int, argument: int) -> Reg:
        """The index counted from the start; a wrong one sets the argument's word and reads 0."""
        length, zero = w.const("i64", size), w.const("i64", 0)
        index = w.select(w.compare("lt", index, zero), w.add(index, length), index)
        low, high = w.compare("lt", index, zero), w.compare("ge", index, length)
        wrong = w.binary("or", low, high)
        flags = Reg(wrong.name, "bool")
        if w.count > 1:
            name = f"@llvm.vector.reduce.or.v{w.count}i1"
            self._declare(f"i1 {name}(<{w.count} x i1>)")
            flags = Reg(self.f.value(f"call i1 {name}(<{w.count} x i1> {wrong.name})"), "bool")
        word = self.f.value(f"zext i1 {flags.name} to i64")
        have = self.f.value(f"load i64, ptr %a{argument}")
        self.f.do(f"store i64 {self.f.value(f'or i64 {have}, {word}')}, ptr %a{argument}")
        return w.select(wrong, zero, index)

    # ---- values kept between phases ----------------------------------------------------------

    def _spill(self, node: int, values: dict[int, Reg], offset: str, mask: Reg | None) -> None:
        value = self.value(node, values, offset, mask)
        dtype = self.kernel.nodes[node].dtype
        lanes = self.lanes.count
        slot = self.spilling.get(node)
        if slot is None:
            room = -(-self.kernel.space[-1] // lanes) * lanes
            slot = self.spilling[node] = self.f.alloca(memory_type(dtype), room)
        address = self.f.value(f"getelementptr {memory_type(dtype)}, ptr {slot}, i64 {offset}")
        self._store(self.lanes, value, dtype, address, None)
