"""The module text of a schedule: kernels (each once), matrix products, and one entry per segment.

A segment is a run of calls without extern steps; its entry takes the table of buffer addresses.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from typing import Any, NamedTuple

from . import parallel
from .asm import ITEM_BYTES, LLVM_TYPES, Function, Lanes, Reg
from .dots import MOST_ROWS, Dots
from .emit import emit_kernel
from .graph import dtype_name
from .host import Target
from .loops import GENERIC_LENGTH, Kernel
from .lower import ExternCall, GemmCall, KernelCall, matrix_layout, swapped
from .views import Buffer, View

# Products with at most this many multiplications run as loops of our own: up to there they measure
# faster than a BLAS call on one thread; narrow results waste lanes and stop earlier.
DIRECT_LIMIT = 1_200_000
_NARROW_LIMIT = 40_000
_PACK_BYTES = 65536
_FEW_ROWS_SUMS = 8  # running sums of a product with few rows


class Slots:
    """Positions of buffers in the address table."""

    kinds = ("input", "number", "const", "check", "output", "extern")

    def __init__(self, buffers: dict[str, list[Buffer]]) -> None:
        self.start: dict[str, int] = {}
        position = 0
        for kind in self.kinds:
            self.start[kind] = position
            position += len(buffers[kind])
        self.arena, self.board, self.workspace = position, position + 1, position + 2
        self.count = position + 3

    def of(self, buffer: Buffer) -> int:
        """The table position that holds this buffer's address (or the arena's)."""
        return self.arena if buffer.kind == "temp" else self.start[buffer.kind] + buffer.index


class Module:
    """Collects definitions; `text` is the whole module."""

    def __init__(self, target: Target, slots: Slots) -> None:
        self.target = target
        self.slots = slots
        self.declarations: set[str] = set()
        self.definitions: list[str] = []
        self.kernels: dict[Any, str] = {}
        self.segments = 0

    def text(self) -> str:
        return "\n".join([*sorted(self.declarations), "", *self.definitions])

    # ---- segments ----------------------------------------------------------------------------

    def segment(self, calls: list[Any]) -> str:
        """Define `void segment_k(ptr table)` that makes these calls; gives its name."""
        f = Function(self.declarations)
        bases: dict[int, str] = {}
        for call in calls:
            assert not isinstance(call, ExternCall)
            if isinstance(call, KernelCall):
                self._call_kernel(f, bases, call)
            else:
                self._call_gemm(f, bases, call)
        name = f"segment_{self.segments}"
        self.segments += 1
        self.definitions.append(f.text(f"void @{name}(ptr %table) nounwind"))
        return name

    def _address(self, f: Function, bases: dict[int, str], buffer: Buffer, offset: int) -> str:
        base = self._slot(f, bases, self.slots.of(buffer))
        nbytes = offset * buffer.dtype.itemsize
        if buffer.kind == "temp":
            nbytes += buffer.offset
        return _moved(f, base, nbytes)

    def _slot(self, f: Function, bases: dict[int, str], slot: int) -> str:
        """What the table holds at a position."""
        if slot not in bases:
            where = f.value(f"getelementptr ptr, ptr %table, i64 {slot}")
            bases[slot] = f.value(f"load ptr, ptr {where}")
        return bases[slot]

    def _pool(self, f: Function, bases: dict[int, str]) -> tuple[str, str]:
        """The board of the pool and this call's workspace."""
        return self._slot(f, bases, self.slots.board), self._slot(f, bases, self.slots.workspace)

    def _piece(self, stem: str, kinds: list[str]) -> str:
        """The name of the piece function for operands of these types."""
        key = (stem, *kinds)
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"{stem}_{len(self.kernels)}"
            self.definitions.append(parallel.piece_text(name, kinds, self.declarations))
        return name

    def _call_kernel(self, f: Function, bases: dict[int, str], call: KernelCall) -> None:
        addresses = [self._address(f, bases, b, offset) for b, offset in call.pointers]
        pieces = parallel.kernel_pieces(call.kernel, call.length, self.target.threads)
        if pieces is None:
            name = self.kernel(call.kernel)
            operands = [*(f"ptr {a}" for a in addresses), f"i64 {call.length}"]
            f.do(f"call void @{name}({', '.join(operands)})")
            return
        names, rows = [], []
        for kernel, start, axis, length in pieces:
            names.append(self.kernel(kernel))
            shifts = parallel.offsets(call.kernel, axis, start)
            rows.append([
                *(f"ptr {_moved(f, a, shift)}" for a, shift in zip(addresses, shifts, strict=True)),
                f"i64 {length}",
            ])  # fmt: skip
        parallel.shared_call(f, names, rows, *self._pool(f, bases), self._piece)

    def kernel(self, kernel: Kernel) -> str:
        """The name of the function for a kernel; equal kernels share one."""
        key = kernel._replace(space=(GENERIC_LENGTH,)) if kernel.generic() else kernel
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"kernel_{len(self.kernels)}"
            self.definitions.append(
                emit_kernel(kernel, name, self.target.vector_bytes, self.declarations)
            )
        return name

    # ---- matrix products ---------------------------------------------------------------------

    def _call_gemm(self, f: Function, bases: dict[int, str], call: GemmCall) -> None:
        call = _as_row(call)
        gemm = Gemm.of(call)
        operands = [self._address(f, bases, v.buffer, v.offset) for v in (call.a, call.b, call.c)]
        if gemm.dots():
            self._call_dots(f, bases, gemm, operands)
            return
        if gemm.direct(self.target):
            self._call_direct(f, bases, gemm, operands)
            return
        given = ", ".join(f"ptr {x}" for x in operands)
        if gemm.pooled(self.target):
            board, workspace = self._pool(f, bases)
            f.do(f"call void @{self._pooled(gemm)}({given}, ptr {board}, ptr {workspace})")
        elif self.target.blas_int is not None:
            f.do(f"call void @{self._blas(gemm)}({given})")
        else:
            raise NotImplementedError("a large product without BLAS is an extern step")

    def _call_dots(
        self, f: Function, bases: dict[int, str], gemm: Gemm, operands: list[str]
    ) -> None:
        """A few rows: the columns of a large weight are shared between threads."""
        work = math.prod(gemm.batch) * gemm.m * gemm.n * gemm.k
        if self.target.threads < 2 or work < parallel.LEAST_DOTS:
            given = ", ".join(f"ptr {x}" for x in operands)
            f.do(f"call void @{self._dots(gemm)}({given})")
            return
        size = ITEM_BYTES[gemm.dtype]
        a, b, c = operands
        names, rows = [], []
        for start, count in parallel.cuts(gemm.n, 2 * self.target.threads, 16):
            names.append(self._dots(gemm._replace(n=count)))
            moved = _moved(f, b, start * gemm.b_strides[-1] * size), _moved(f, c, start * size)
            rows.append([f"ptr {x}" for x in (a, *moved)])
        parallel.shared_call(f, names, rows, *self._pool(f, bases), self._piece)

    def _dots(self, gemm: Gemm) -> str:
        key = ("dots", gemm)
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"dots_{len(self.kernels)}"
            writer = Dots(gemm, self.target.vector_bytes, self.declarations)
            self.definitions.append(writer.text(name, _batch_loops))
        return name

    def _call_direct(
        self, f: Function, bases: dict[int, str], gemm: Gemm, operands: list[str]
    ) -> None:
        """Small products; a large batch of them is shared between threads."""
        work = math.prod(gemm.batch) * gemm.m * gemm.n * gemm.k
        threads = self.target.threads
        if threads < 2 or not gemm.batch or work < parallel.LEAST_PRODUCT:
            given = ", ".join(f"ptr {x}" for x in operands)
            f.do(f"call void @{self._direct(gemm)}({given})")
            return
        size = ITEM_BYTES[gemm.dtype]
        strides = gemm.a_strides[0], gemm.b_strides[0], gemm.c_strides[0]
        names, rows = [], []
        for start, count in parallel.cuts(gemm.batch[0], 2 * threads):
            names.append(self._direct(gemm._replace(batch=(count, *gemm.batch[1:]))))
            pairs = zip(operands, strides, strict=True)
            rows.append([f"ptr {_moved(f, x, start * s * size)}" for x, s in pairs])
        parallel.shared_call(f, names, rows, *self._pool(f, bases), self._piece)

    def _pooled(self, gemm: Gemm) -> str:
        name = self.kernels.get(gemm)
        if name is None:
            name = self.kernels[gemm] = f"gemm_{len(self.kernels)}"
            rows = parallel.product_rows(gemm, self.target.vector_bytes, self.target.threads)
            self.definitions.append(
                parallel.pooled_product(name, rows, gemm.dtype, self.declarations)
            )
        return name

    def _direct(self, gemm: Gemm) -> str:
        name = self.kernels.get(gemm)
        if name is None:
            name = self.kernels[gemm] = f"gemm_{len(self.kernels)}"
            self.definitions.append(DirectGemm(gemm, self.target, self.declarations).text(name))
        return name

    def _blas(self, gemm: Gemm) -> str:
        name = self.kernels.get(gemm)
        if name is None:
            name = self.kernels[gemm] = f"gemm_{len(self.kernels)}"
            self.definitions.append(_blas_gemm(gemm, name, self.target, self.declarations))
        return name


class Gemm(NamedTuple):
    """A batch of products of one size: the key under which its code is shared."""

    dtype: str
    m: int
    n: int
    k: int
    batch: tuple[int, ...]
    a_strides: tuple[int, ...]  # batch axes, then row and column
    b_strides: tuple[int, ...]
    c_strides: tuple[int, ...]

    @classmethod
    def of(cls, call: GemmCall) -> Gemm:
        """The sizes of a call, with batch axes joined to rows where memory allows."""
        a, b, c = call.a, call.b, call.c
        m, n, k = c.shape[-2], c.shape[-1], a.shape[-1]
        batch = list(c.shape[:-2])
        strides = [list(v.strides) for v in (a, b, c)]
        while batch and (batch[-1] == 1 or _rows_continue(strides, m)):
            # (The stride along a single row means nothing: the batch axis has the real one.)
            stale = -2 if m == 1 and batch[-1] > 1 else -3
            m *= batch.pop()
            for s, at in zip(strides, (stale, -3, stale), strict=True):
                del s[at]
        return cls(dtype_name(c.buffer.dtype), m, n, k, tuple(batch), *map(tuple, strides))

    def dots(self) -> bool:
        """Whether a few rows meet columns that lie in one piece: a dense layer of a small batch."""
        along = self.a_strides[-1] == 1 and self.b_strides[-2] == 1 and self.c_strides[-1] == 1
        return along and self.m <= MOST_ROWS and self.k >= 16 and self.b_strides[-1] != 1

    def pooled(self, target: Target) -> bool:
        """Whether the blocked product of `gemm.py` can do it."""
        usual = self.c_strides[-1] == 1
        for row, column in (self.a_strides[-2:], self.b_strides[-2:]):
            usual = usual and 1 in (row, column)
        return usual and target.threads > 0 and min(self.m, self.k) >= 8 and self.n >= 8

    def packs(self, lanes: int) -> bool:
        """Whether our own loops copy columns of b into panels first."""
        many = self.m >= 32 and self.n > 2 * lanes
        return self.n > 1 and (self.b_strides[-1] != 1 or many)

    def direct(self, target: Target) -> bool:
        """Whether our own loops are the better choice."""
        lanes = target.vector_bytes // ITEM_BYTES[self.dtype]
        if self.packs(lanes) and self.k * 2 * target.vector_bytes > _PACK_BYTES:
            return False
        limit = DIRECT_LIMIT if self.n >= lanes else min(DIRECT_LIMIT, _NARROW_LIMIT)
        return self.m * self.n * self.k <= limit


def _moved(f: Function, address: str, nbytes: int) -> str:
    """An address so many bytes further on."""
    return address if nbytes == 0 else f.value(f"getelementptr i8, ptr {address}, i64 {nbytes}")


def _rows_continue(strides: list[list[int]], m: int) -> bool:
    """Whether the innermost batch axis is just more rows of a and c, with one b for all."""
    a, b, c = strides
    return b[-3] == 0 and (m == 1 or (a[-3] == m * a[-2] and c[-3] == m * c[-2]))


def _as_row(call: GemmCall) -> GemmCall:
    """A matrix times a column as a row times the transposed matrix: vectors run along rows."""
    rows, columns = call.c.shape[-2:]
    if columns > 1 or rows == 1:
        return call
    a, b, c = (
        View(v.buffer, swapped(v.shape), swapped(v.strides), v.offset)
        for v in (call.b, call.a, call.c)
    )
    c.strides = (*c.strides[:-2], rows, 1)
    return GemmCall(a, b, c)


def _batch_loops(f: Function, gemm: Gemm, stack: Any) -> list[str]:
    """Loops over the batch axes; gives the addresses of the three matrices inside."""
    indices = [stack.enter_context(f.loop(str(n))) for n in gemm.batch]
    addresses = []
    for name, strides in zip("abc", (gemm.a_strides, gemm.b_strides, gemm.c_strides), strict=True):
        terms = [f.offset(i, s) for i, s in zip(indices, strides[:-2], strict=True)]
        offset = f.add_offsets(terms)
        if offset == "0":
            addresses.append(f"%{name}")
        else:
            kind = LLVM_TYPES[gemm.dtype]
            addresses.append(f.value(f"getelementptr {kind}, ptr %{name}, i64 {offset}"))
    return addresses


_ROW_MAJOR, _PLAIN, _TRANSPOSED = 101, 111, 112


def _blas_gemm(gemm: Gemm, name: str, target: Target, declarations: set[str]) -> str:
    """A function that calls cblas for every matrix of the batch."""
    f = Function(declarations)
    whole, kind = target.blas_int, LLVM_TYPES[gemm.dtype]
    symbol = "@chainrule_sgemm" if gemm.dtype == "f32" else "@chainrule_dgemm"
    kinds = f"i32, i32, i32, {whole}, {whole}, {whole}, {kind}, ptr, {whole}, ptr, {whole}, {kind}"
    declarations.add(f"declare void {symbol}({kinds}, ptr, {whole})")
    layouts = (
        matrix_layout((gemm.m, gemm.k), gemm.a_strides[-2:]),
        matrix_layout((gemm.k, gemm.n), gemm.b_strides[-2:]),
    )
    assert layouts[0] is not None and layouts[1] is not None
    flags = [_TRANSPOSED if t else _PLAIN for t, _ in layouts]
    one, zero = Lanes(f, 1).const(gemm.dtype, 1.0).name, Lanes(f, 1).const(gemm.dtype, 0.0).name
    with ExitStack() as stack:
        a, b, c = _batch_loops(f, gemm, stack)
        f.do(
            f"call void {symbol}(i32 {_ROW_MAJOR}, i32 {flags[0]}, i32 {flags[1]}, "
            f"{whole} {gemm.m}, {whole} {gemm.n}, {whole} {gemm.k}, {kind} {one}, "
            f"ptr {a}, {whole} {layouts[0][1]}, ptr {b}, {whole} {layouts[1][1]}, "
            f"{kind} {zero}, ptr {c}, {whole} {gemm.c_strides[-2]})"
        )
    return f.text(f"internal void @{name}(ptr %a, ptr %b, ptr %c) noinline nounwind")


class DirectGemm:
    """A small product as register blocks: rows x vectors of c, summed over k with fma."""

    def __init__(self, gemm: Gemm, target: Target, declarations: set[str]) -> None:
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

    def text(self, name: str) -> str:
        """The function's definition."""
        g, lanes = self.gemm, self.w.count
        if self.packs:
            self.panel = self.f.alloca(self.kind, g.k * lanes * self.columns)
        with ExitStack() as stack:
            self.a, self.b, self.c = _batch_loops(self.f, g, stack)
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
            self.b_start, self.b_row = self._at(self.b, j), self.gemm.b_strides[-2]
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
            b = [
                self.w.load(self._at(b_k, str(v * w.count)), self.gemm.dtype, m)
                for v, m in enumerate(masks)
            ]
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
