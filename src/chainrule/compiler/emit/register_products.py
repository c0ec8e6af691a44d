"""Small matrix products as register blocks: rows x vectors of c, summed over k with fma."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ..machine.host import Target
from ..text.assembly import ITEM_BYTES, LLVM_TYPES, Function, Lanes, Reg
from .row_access import load_apart

_FEW_ROWS_SUMS = 8  # running sums of a product with few rows


class DirectGemm:
    """Writes the function of one size; `batch_loops` is the writer of loops over batch axes."""

    def __init__(self, gemm: Any, target: Target, declarations: set[str]) -> None:
        self.gemm = gemm
        self.f = Function(declarations)
        lanes = target.vector_bytes // ITEM_BYTES[gemm.dtype]
        while lanes > 1 and lanes // 2 >= gemm.n:
            lanes //= 2
        self.w = Lanes(self.f, lanes)
        self.packs = gemm.packs(lanes)
        # Vectors of c per row in a block: few rows need more of them to keep the adders busy.
        most = 2 if self.packs else max(2, _FEW_ROWS_SUMS // gemm.m)
        self.columns = min(most, -(-gemm.n // lanes))
        self.rows = 8 if target.registers >= 32 else 4
        self.kind = LLVM_TYPES[gemm.dtype]

    def text(self, name: str, batch_loops: Any) -> str:
        """The function's definition."""
        g, lanes = self.gemm, self.w.count
        if self.packs:
            self.panel = self.f.alloca(self.kind, g.k * lanes * self.columns)
        with ExitStack() as stack:
            self.a, self.b, self.c = batch_loops(self.f, g, stack)
            step = lanes * self.columns
            whole = g.n // step * step
            if whole:
                with self.f.loop(str(whole), step) as j:
                    self._column_block(j, [None] * self.columns)
            if g.n - whole:
                self._column_block(str(whole), self._tail(g.n - whole))
        return self.f.text(f"internal void @{name}(ptr %a, ptr %b, ptr %c) noinline nounwind")

    def _tail(self, rest: int) -> list[Reg | None]:
        lanes = self.w.count
        masks: list[Reg | None] = [None] * (rest // lanes)
        if rest % lanes:
            bits = ", ".join(f"i1 {'true' if k < rest % lanes else 'false'}" for k in range(lanes))
            masks.append(Reg(f"<{bits}>", "bool"))
        return masks

    def _pack(self, j: str, masks: list[Reg | None]) -> None:
        """Copy some columns of b into contiguous rows: they are read again for every row of a.

        Rows a power of two apart would also fall into the same few cache sets.
        """
        g, f, w = self.gemm, self.f, self.w
        width = w.count * self.columns
        start = self._at(self.b, f.offset(j, g.b_strides[-1]))
        if g.b_strides[-1] == 1:
            with f.loop(str(g.k)) as k:
                row = self._at(start, f.offset(k, g.b_strides[-2]))
                to = self._at(self.panel, f.offset(k, width))
                for v, mask in enumerate(masks):
                    value = self.w.load(self._at(row, str(v * w.count)), self.gemm.dtype, mask)
                    self._store(value.name, self._at(to, str(v * w.count)), None)
            return
        live = sum(w.count if m is None else m.name.count("true") for m in masks)
        with f.loop(str(live)) as column, f.loop(str(g.k)) as k:
            terms = [f.offset(k, g.b_strides[-2]), f.offset(column, g.b_strides[-1])]
            value = f.value(f"load {self.kind}, ptr {self._at(start, f.add_offsets(terms))}")
            to = self._at(self.panel, f.add_offsets([f.offset(k, width), column]))
            f.do(f"store {self.kind} {value}, ptr {to}")

    def _at(self, base: str, offset: str) -> str:
        if offset == "0":
            return base
        return self.f.value(f"getelementptr {self.kind}, ptr {base}, i64 {offset}")

    def _column_block(self, j: str, masks: list[Reg | None]) -> None:
        m, rows = self.gemm.m, self.rows
        if self.packs:
            self._pack(j, masks)
            self.b_start, self.b_row = self.panel, self.w.count * self.columns
        else:
            row, column = self.gemm.b_strides[-2:]
            self.b_start, self.b_row = self._at(self.b, self.f.offset(j, column)), row
        whole = m // rows * rows
        if whole:
            with self.f.loop(str(whole), rows) as i:
                self._block(i, rows, j, masks)
        if m - whole:
            self._block(str(whole), m - whole, j, masks)

    def _block(self, i: str, rows: int, j: str, masks: list[Reg | None]) -> None:
        g, f, w = self.gemm, self.f, self.w
        vector = w.type(g.dtype)
        slots = [[f.alloca(vector) for _ in masks] for _ in range(rows)]
        zero = w.const(g.dtype, 0.0)
        for slot in (s for row in slots for s in row):
            f.do(f"store {vector} {zero.name}, ptr {slot}")
        a_start = self._at(self.a, f.offset(i, g.a_strides[-2]))
        with f.loop(str(g.k)) as k:
            a_k = self._at(a_start, f.offset(k, g.a_strides[-1]))
            b_k = self._at(self.b_start, f.offset(k, self.b_row))
            b = [self._right(b_k, v, mask) for v, mask in enumerate(masks)]
            for r in range(rows):
                address = self._at(a_k, str(r * g.a_strides[-2]))
                a = w.splat(Reg(f.value(f"load {self.kind}, ptr {address}"), g.dtype))
                for v, slot in enumerate(slots[r]):
                    have = Reg(f.value(f"load {vector}, ptr {slot}"), g.dtype)
                    f.do(f"store {vector} {w.fma(a, b[v], have).name}, ptr {slot}")
        c_start = self._at(self.c, f.add_offsets([f.offset(i, g.c_strides[-2]), j]))
        for r in range(rows):
            for v, (slot, mask) in enumerate(zip(slots[r], masks, strict=True)):
                value = f.value(f"load {vector}, ptr {slot}")
                self._store(value, self._at(c_start, str(r * g.c_strides[-2] + v * w.count)), mask)

    def _right(self, start: str, position: int, mask: Reg | None) -> Reg:
        """A vector of a row of b, out of the panel or out of memory."""
        g, w = self.gemm, self.w
        if self.packs or g.b_strides[-1] == 1 or g.n == 1:
            return w.load(self._at(start, str(position * w.count)), g.dtype, mask)
        stride, live = g.b_strides[-1], w.count if mask is None else mask.name.count("true")
        first = self._at(start, str(position * w.count * stride))
        return Reg(load_apart(w, self.kind, first, stride, live), g.dtype)

    def _store(self, value: str, address: str, mask: Reg | None) -> None:
        g, w = self.gemm, self.w
        vector, align = w.type(g.dtype), ITEM_BYTES[g.dtype]
        if mask is None:
            self.f.do(f"store {vector} {value}, ptr {address}, align {align}")
            return
        full = f"@llvm.masked.store.v{w.count}{g.dtype}.p0"
        bits = f"<{w.count} x i1>"
        self.f.declarations.add(f"declare void {full}({vector}, ptr, i32, {bits})")
        self.f.do(
            f"call void {full}({vector} {value}, ptr {address}, i32 {align}, {bits} {mask.name})"
        )
