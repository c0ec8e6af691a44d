"""A few rows times a matrix whose columns lie in one piece: dot products along vectors.

That is a dense layer at batch size one.  Every element of the weight is read once, where it lies.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from ..text.assembly import ITEM_BYTES, LLVM_TYPES, Function, Lanes, Reg

MOST_ROWS = 4
_SUMS = 8  # running sums in registers


class Dots:
    """Writes the function of one size; `batch_loops` is the writer of loops over batch axes."""

    def __init__(self, gemm: Any, vector_bytes: int, declarations: set[str]) -> None:
        self.gemm = gemm
        self.f = Function(declarations)
        lanes = vector_bytes // ITEM_BYTES[gemm.dtype]
        while lanes > 1 and lanes // 2 >= gemm.k:
            lanes //= 2
        self.w = Lanes(self.f, lanes)
        self.kind = LLVM_TYPES[gemm.dtype]
        self.columns = max(1, _SUMS // gemm.m)

    def text(self, name: str, batch_loops: Any) -> str:
        g = self.gemm
        with ExitStack() as stack:
            self.a, self.b, self.c = batch_loops(self.f, g, stack)
            whole = g.n // self.columns * self.columns
            if whole:
                with self.f.loop(str(whole), self.columns) as j:
                    self._block(j, self.columns)
            if g.n - whole:
                self._block(str(whole), g.n - whole)
        return self.f.text(f"internal void @{name}(ptr %a, ptr %b, ptr %c) noinline nounwind")

    def _at(self, base: str, offset: str) -> str:
        if offset == "0":
            return base
        return self.f.value(f"getelementptr {self.kind}, ptr {base}, i64 {offset}")

    def _block(self, j: str, columns: int) -> None:
        """All rows times some columns from the j-th on."""
        g, f, w = self.gemm, self.f, self.w
        start = self._at(self.b, f.offset(j, g.b_strides[-1]))
        right = [self._at(start, str(v * g.b_strides[-1])) for v in range(columns)]
        left = [self._at(self.a, str(r * g.a_strides[-2])) for r in range(g.m)]
        vector = w.type(g.dtype)
        sums = [[f.alloca(vector) for _ in right] for _ in left]
        for slot in (s for row in sums for s in row):
            f.do(f"store {vector} {w.const(g.dtype, 0.0).name}, ptr {slot}")
        whole = g.k // w.count * w.count
        if whole:
            with f.loop(str(whole), w.count) as k:
                self._step(left, right, sums, k, None)
        if g.k - whole:
            bits = ", ".join(f"i1 {'true' if i < g.k - whole else 'false'}" for i in range(w.count))
            self._step(left, right, sums, str(whole), Reg(f"<{bits}>", "bool"))
        for r, row in enumerate(sums):
            line = self._at(self.c, f.add_offsets([str(r * g.c_strides[-2]), j]))
            for v, slot in enumerate(row):
                total = self._total(f.value(f"load {vector}, ptr {slot}"))
                f.do(f"store {self.kind} {total}, ptr {self._at(line, str(v))}")

    def _step(
        self, left: list[str], right: list[str], sums: list[list[str]], k: str, mask: Reg | None
    ) -> None:
        w, f, vector = self.w, self.f, self.w.type(self.gemm.dtype)
        a = [w.load(self._at(x, k), self.gemm.dtype, mask) for x in left]
        for v, column in enumerate(right):
            b = w.load(self._at(column, k), self.gemm.dtype, mask)
            for r, x in enumerate(a):
                have = Reg(f.value(f"load {vector}, ptr {sums[r][v]}"), self.gemm.dtype)
                f.do(f"store {vector} {w.fma(x, b, have).name}, ptr {sums[r][v]}")

    def _total(self, vector: str) -> str:
        """The sum of the lanes, in halves."""
        if self.w.count == 1:
            return vector
        kind = self.w.type(self.gemm.dtype)
        name = f"@llvm.vector.reduce.fadd.v{self.w.count}{self.gemm.dtype}"
        self.f.declarations.add(f"declare {self.kind} {name}({self.kind}, {kind})")
        zero = Lanes(self.f, 1).const(self.gemm.dtype, -0.0).name
        return self.f.value(f"call reassoc {self.kind} {name}({self.kind} {zero}, {kind} {vector})")
