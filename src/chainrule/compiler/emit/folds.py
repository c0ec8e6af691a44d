"""Sums and other folds of a kernel under construction.

A float32 sum of a long row is kept in a vector of float32 for a block of the row, and these are
added to a vector of doubles: errors grow with the block's length, not with the row's. Sums over
rows go the same way, with float32 sums of a few rows on the stack and doubles in memory.
"""

from __future__ import annotations

from typing import Any

from ..loops.nest import Access
from ..scalars.functions import FOLDS, identity
from ..text.assembly import ITEM_BYTES, LLVM_TYPES, Lanes, Reg
from .row_access import RowMemory

BLOCK_VECTORS = 32
ROWS_TOGETHER = 16  # rows whose sums are added to doubles as one; a power of two
SCRATCH_BYTES = 32768  # rows that are kept live on the stack up to this size


class Folds(RowMemory):
    """How a kernel folds rows, and adds to its arguments; the emitter builds on it."""

    doubles: dict[str, str]  # accumulator of this phase -> the doubles that its blocks add up to
    sums_of_rows: dict[Access, str]  # doubles in memory -> float32 sums of a few rows
    value: Any

    def _accumulator(self, kind: str, node: int) -> str:
        """A vector on the stack (LLVM keeps it in a register), set to the fold's identity."""
        dtype = self.kernel.nodes[node].dtype
        slot = self.f.alloca(self.lanes.type(dtype))
        start = self.lanes.const(dtype, identity(kind, dtype))
        self.f.do(f"store {self.lanes.type(dtype)} {start.name}, ptr {slot}")
        long = self.kernel.generic() or self.kernel.space[-1] > BLOCK_VECTORS * self.lanes.count
        if kind == "add" and dtype == "f32" and long:
            doubles = self.doubles[slot] = self.f.alloca(self.lanes.type("f64"))
            zeros = self.lanes.const("f64", 0.0)
            self.f.do(f"store {self.lanes.type('f64')} {zeros.name}, ptr {doubles}")
        return slot

    def _add_up(self) -> None:
        """Add the sums of a block to the doubles, and begin the next with zeros."""
        w = self.lanes
        single, double = w.type("f32"), w.type("f64")
        for slot, doubles in self.doubles.items():
            some = Reg(self.f.value(f"load {single}, ptr {slot}"), "f32")
            have = Reg(self.f.value(f"load {double}, ptr {doubles}"), "f64")
            total = w.add(have, w.convert(some, "f64"))
            self.f.do(f"store {double} {total.name}, ptr {doubles}")
            self.f.do(f"store {single} {w.const('f32', 0.0).name}, ptr {slot}")

    def _fold(
        self, slot: str, kind: str, node: int, values: dict[int, Reg], offset: str, mask: Reg | None
    ) -> None:
        w = self.lanes
        value = self.value(node, values, offset, mask)
        if mask is not None:
            value = w.select(mask, value, w.const(value.dtype, identity(kind, value.dtype)))
        kind_type = w.type(value.dtype)
        have = Reg(self.f.value(f"load {kind_type}, ptr {slot}"), value.dtype)
        total = FOLDS[kind](w, have, value)
        self.f.do(f"store {kind_type} {total.name}, ptr {slot}")

    def _finish(self, kind: str, slot: str, node: int) -> Reg:
        """Fold the lanes of an accumulator pairwise into one number."""
        wanted = dtype = self.kernel.nodes[node].dtype
        if slot in self.doubles:
            slot, dtype = self.doubles[slot], "f64"
        lanes = self.lanes.count
        value = self.f.value(f"load {self.lanes.type(dtype)}, ptr {slot}")
        scalar = LLVM_TYPES[dtype]
        while lanes > 1:
            half = lanes // 2
            vector = f"<{lanes} x {scalar}>"
            parts = []
            for first in (0, half):
                picks = ", ".join(f"i32 {first + k}" for k in range(half))
                parts.append(
                    self.f.value(
                        f"shufflevector {vector} {value}, {vector} poison, <{half} x i32> <{picks}>"
                    )
                )
            value = self._combine_halves(kind, dtype, half, parts)
            lanes = half
        return self.scalar.convert(Reg(value, dtype), wanted)

    def _combine_halves(self, kind: str, dtype: str, half: int, parts: list[str]) -> str:
        if half == 1:
            one = f"<1 x {LLVM_TYPES[dtype]}>"
            parts = [self.f.value(f"extractelement {one} {p}, i32 0") for p in parts]
        a, b = (Reg(p, dtype) for p in parts)
        return FOLDS[kind](Lanes(self.f, half), a, b).name

    def _make_room_for_sums(self) -> None:
        """Zeros for the float32 sums of a few rows, where memory has doubles for those of all."""
        kernel, lanes = self.kernel, self.lanes
        room = -(-kernel.space[-1] // lanes.count) * lanes.count
        for _, node, to, _ in kernel.accumulates:
            wide = kernel.arguments[to.argument] == "f64" and kernel.nodes[node].dtype == "f32"
            if not wide or not to.strides[-1] or to.strides[-2] or kernel.space[-2] < ROWS_TOGETHER:
                continue
            if (1 + len(self.sums_of_rows)) * room * ITEM_BYTES["f32"] > SCRATCH_BYTES:
                return
            slot = self.sums_of_rows[to] = self.f.alloca("float", room)
            with self.f.loop(str(room), lanes.count) as offset:
                place = self.f.value(f"getelementptr float, ptr {slot}, i64 {offset}")
                self._store(lanes, lanes.const("f32", 0.0), "f32", place, None)

    def _settle(self, offset: str, mask: Reg | None) -> None:
        """Add the float32 sums at this offset to their doubles, and begin anew."""
        for to, slot in self.sums_of_rows.items():
            place = self.f.value(f"getelementptr float, ptr {slot}, i64 {offset}")
            some = self.lanes.convert(self._load(self.lanes, "f32", place, None), "f64")
            have = self._load_lanes("f64", to, offset, mask)
            self._store_node(self.lanes.add(have, some), to, offset, mask)
            self._store(self.lanes, self.lanes.const("f32", 0.0), "f32", place, None)

    def _accumulate(self, kind: str, value: Reg, to: Access, offset: str, mask: Reg | None) -> None:
        """Fold a vector into memory, for sums over rows."""
        if to in self.sums_of_rows:
            place = f"getelementptr float, ptr {self.sums_of_rows[to]}, i64 {offset}"
            place = self.f.value(place)
            have = self._load(self.lanes, "f32", place, None)
            self._store(self.lanes, self.lanes.add(have, value), "f32", place, None)
            return
        dtype = self.kernel.arguments[to.argument]
        have = self._load_lanes(dtype, to, offset, mask)
        value = self.lanes.convert(value, dtype)
        self._store_node(FOLDS[kind](self.lanes, have, value), to, offset, mask)

    def _accumulate_row(self, kind: str, total: Reg, to: Access) -> None:
        dtype = self.kernel.arguments[to.argument]
        address = self._row_address(to)
        have = self._load(self.scalar, dtype, address, None)
        total = self.scalar.convert(total, dtype)
        self._store(self.scalar, FOLDS[kind](self.scalar, have, total), dtype, address, None)
