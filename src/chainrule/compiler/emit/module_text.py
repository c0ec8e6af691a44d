"""The module text of a schedule: kernels (each once), matrix products, and one entry per segment.

A segment is a run of calls without extern steps; its entry takes the table of buffer addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from ..graph.program import dtype_name
from ..graph.views import Buffer, View
from ..loops.calls import (
    ExternCall,
    GemmCall,
    JobCall,
    KernelCall,
    addition,
    matrix_layout,
    swapped,
)
from ..loops.nest import Kernel
from ..loops.side_by_side import Touched, joinable
from ..machine.host import Target
from ..text.assembly import ITEM_BYTES, LLVM_TYPES, Function, Lanes
from . import work_pieces
from .dot_products import MOST_ROWS, Dots
from .kernel_text import emit_kernel
from .register_products import DirectGemm
from .row_access import NEAR

# Products with at most this many multiplications run as loops of their own: larger ones measure
# faster as blocked products (64x128x128 on two threads: 12 to 14 µs against 20 to 26); narrow
# results waste lanes and stop earlier.
DIRECT_LIMIT = 300_000
_NARROW_LIMIT = 40_000
_PACK_BYTES = 65536
_PART = 24  # groups of calls in one function


class Product(NamedTuple):
    """A product that may wait for others to be run with."""

    gemm: Gemm
    operands: list[str]  # addresses of a, b, c and, in large products, of the bias
    call: GemmCall


def _groups(calls: list[Any]) -> Iterator[list[Any]]:
    """Calls that follow each other and do not wait for each other: products, or loops of the same
    code."""
    group: list[Any] = []
    touched, kind = Touched(placed=True), None
    for call in calls:
        own = _kind(call)
        if group and not (own is not None and own == kind and touched.apart(call)):
            yield group
            group, touched = [], Touched(placed=True)
        group.append(call)
        touched.add(call)
        kind = own
    if group:
        yield group


def _kind(call: Any) -> Any:
    """What is equal in calls that may be one job; None if there can be no other."""
    assert not isinstance(call, ExternCall)
    if isinstance(call, GemmCall):
        return "product"
    return call.kernel.code() if joinable(call) else None


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
        name = f"segment_{self.segments}"
        self.segments += 1
        groups = list(_groups(calls))
        parts = [groups[i : i + _PART] for i in range(0, len(groups), _PART)]
        f = Function(self.declarations)
        if len(parts) == 1:
            self._make_calls(f, parts[0], "ret void")
        else:
            # LLVM takes more than twice as long for a function of twice the length.
            for k, part in enumerate(parts):
                self._define_part(f"{name}_{k}", part)
                stopped = f.value(f"call i1 @{name}_{k}(ptr %table)")
                stop, go = f.block_name("stop"), f.block_name("go")
                f.do(f"br i1 {stopped}, label %{stop}, label %{go}")
                f.start(stop)
                f.do("ret void")
                f.start(go)
        self.definitions.append(f.text(f"void @{name}(ptr %table) nounwind"))
        return name

    def _define_part(self, name: str, groups: list[list[Any]]) -> None:
        """Define `i1 name(ptr table)` for some of a segment's calls; true: it was stopped."""
        f = Function(self.declarations)
        self._make_calls(f, groups, "ret i1 true")
        f.do("ret i1 false")
        f.start("unreached")
        text = f.text(f"internal i1 @{name}(ptr %table) noinline nounwind")
        self.definitions.append(text.removesuffix("  ret void\n}\n") + "  unreachable\n}\n")

    def _make_calls(self, f: Function, groups: list[list[Any]], stop: str) -> None:
        bases: dict[int, str] = {}
        for together in groups:
            if isinstance(together[0], GemmCall):
                self._call_products(f, bases, [self._product(f, bases, c) for c in together])
            elif isinstance(together[0], JobCall):
                self._call_job(f, bases, together[0])
            elif len(together) == 1 or not self._call_group(f, bases, together):
                for call in together:
                    self._call_kernel(f, bases, call)
                    self._stop_if_wrong(f, bases, call, stop)

    def _stop_if_wrong(
        self, f: Function, bases: dict[int, str], call: KernelCall, return_there: str
    ) -> None:
        """End the segment after a wrong index: what follows may write the caller's arrays."""
        for buffer, _ in call.pointers:
            if buffer.kind == "check":
                word = f.value(f"load i64, ptr {self._address(f, bases, buffer, 0)}")
                wrong = f.value(f"icmp ne i64 {word}, 0")
                stop, go = f.block_name("stop"), f.block_name("go")
                f.do(f"br i1 {wrong}, label %{stop}, label %{go}")
                f.start(stop)
                f.do(return_there)
                f.start(go)

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

    def _workers(self, f: Function, bases: dict[int, str]) -> tuple[str, str]:
        """The board of the pool and this call's workspace."""
        return self._slot(f, bases, self.slots.board), self._slot(f, bases, self.slots.workspace)

    def _piece(self, stem: str, kinds: list[str]) -> str:
        """The name of the piece function for operands of these types."""
        key = (stem, *kinds)
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"{stem}_{len(self.kernels)}"
            self.definitions.append(work_pieces.piece_text(name, kinds, self.declarations))
        return name

    def _call_kernel(self, f: Function, bases: dict[int, str], call: KernelCall) -> None:
        addresses = [self._address(f, bases, b, offset) for b, offset in call.pointers]
        pieces = work_pieces.kernel_pieces(call.kernel, call.length, self.target.threads)
        if pieces is None:
            name = self.kernel(call.kernel)
            operands = [*(f"ptr {a}" for a in addresses), f"i64 {call.length}"]
            f.do(f"call void @{name}({', '.join(operands)})")
            return
        names, rows = [], []
        for kernel, start, axis, length in pieces:
            names.append(self.kernel(kernel))
            shifts = work_pieces.offsets(call.kernel, axis, start)
            rows.append([
                *(f"ptr {_moved(f, a, shift)}" for a, shift in zip(addresses, shifts, strict=True)),
                f"i64 {length}",
            ])  # fmt: skip
        work_pieces.shared_call(f, names, rows, *self._workers(f, bases), self._piece)

    def _call_group(self, f: Function, bases: dict[int, str], calls: list[KernelCall]) -> bool:
        """Loops of the same code as one job of the threads; False if that is not worth it."""
        kernels = [(c.kernel, c.length) for c in calls]
        pieces = work_pieces.group_pieces(kernels, self.target.threads)
        if pieces is None:
            return False
        name, rows = self.kernel(calls[0].kernel), []
        for i, start, length in pieces:
            shifts = work_pieces.offsets(calls[i].kernel, 0, start)
            addresses = [self._address(f, bases, b, offset) for b, offset in calls[i].pointers]
            rows.append([
                *(f"ptr {_moved(f, a, shift)}" for a, shift in zip(addresses, shifts, strict=True)),
                f"i64 {length}",
            ])  # fmt: skip
        work_pieces.shared_call(f, [name] * len(rows), rows, *self._workers(f, bases), self._piece)
        return True

    def _call_job(self, f: Function, bases: dict[int, str], call: JobCall) -> None:
        board, workspace = self._workers(f, bases)
        places = {
            i: self._address(f, bases, view.buffer, view.offset) for i, view in call.views.items()
        }
        given = ", ".join(f"ptr {place}" for place in places.values())
        key = ("job", call.job, call.table.tobytes(), tuple(places), tuple(call.symbols.items()))
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"job_{len(self.kernels)}"
            self.definitions.append(work_pieces.job_text(name, call, self.declarations))
        f.do(f"call void @{name}({given}, ptr {board}, ptr {workspace})")

    def kernel(self, kernel: Kernel) -> str:
        """The name of the function for a kernel; equal kernels share one."""
        key = kernel.code()
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"kernel_{len(self.kernels)}"
            self.definitions.append(
                emit_kernel(kernel, name, self.target.vector_bytes, self.declarations)
            )
        return name

    # ---- matrix products ---------------------------------------------------------------------

    def _product(self, f: Function, bases: dict[int, str], call: GemmCall) -> Product:
        call = _as_row(call)
        views = (call.a, call.b, call.c, call.bias)
        operands = [
            "null" if v is None else self._address(f, bases, v.buffer, v.offset) for v in views
        ]
        return Product(Gemm.of(call), operands, call)

    def _call_products(self, f: Function, bases: dict[int, str], products: list[Product]) -> None:
        """Products that do not wait for each other: large ones as one job of the threads."""
        small, large = [], {}
        for product in products:
            gemm = product.gemm
            if gemm.factors != gemm.dtype:
                large.setdefault(gemm.factors, []).append(product)
            elif gemm.dots() or gemm.direct(self.target):
                small.append(product)
            elif gemm.pooled(self.target):
                large.setdefault(gemm.factors, []).append(product)
            else:
                self._call_blas(f, bases, product)
        for together in large.values():
            board, workspace = self._workers(f, bases)
            given = ", ".join(f"ptr {x}" for p in together for x in p.operands)
            name = self._pooled(tuple(p.gemm for p in together))
            f.do(f"call void @{name}({given}, ptr {board}, ptr {workspace})")
        if small:
            self._call_small(f, bases, small)

    def _call_blas(self, f: Function, bases: dict[int, str], product: Product) -> None:
        if self.target.blas_int is None:
            raise NotImplementedError("a large product without BLAS is an extern step")
        given = ", ".join(f"ptr {x}" for x in product.operands[:3])
        f.do(f"call void @{self._blas(product.gemm)}({given})")
        if product.call.bias is not None:
            self._call_kernel(f, bases, addition(product.call.c, product.call.bias))

    def _call_small(self, f: Function, bases: dict[int, str], products: list[Product]) -> None:
        """Small products, shared between threads if worth it."""
        gemms = [p.gemm for p in products]
        if not work_pieces.worth_sharing(gemms, self.target.threads):
            for product in products:
                given = ", ".join(f"ptr {x}" for x in product.operands[:3])
                f.do(f"call void @{self._small(product.gemm)}({given})")
            return
        names, rows = [], []
        for number, gemm, offsets in work_pieces.product_pieces(gemms, self.target):
            names.append(self._small(gemm))
            moved = zip(products[number].operands[:3], offsets, strict=True)
            rows.append([f"ptr {_moved(f, x, nbytes)}" for x, nbytes in moved])
        work_pieces.shared_call(f, names, rows, *self._workers(f, bases), self._piece)

    def _small(self, gemm: Gemm) -> str:
        """The name of the function of a small product."""
        return self._dots(gemm) if gemm.dots() else self._direct(gemm)

    def _dots(self, gemm: Gemm) -> str:
        key = ("dots", gemm)
        name = self.kernels.get(key)
        if name is None:
            name = self.kernels[key] = f"dots_{len(self.kernels)}"
            writer = Dots(gemm, self.target.vector_bytes, self.declarations)
            self.definitions.append(writer.text(name, _batch_loops))
        return name

    def _pooled(self, gemms: tuple[Gemm, ...]) -> str:
        name = self.kernels.get(gemms)
        if name is None:
            name = self.kernels[gemms] = f"gemm_{len(self.kernels)}"
            machine = self.target.vector_bytes, self.target.threads
            rows = [work_pieces.product_rows(gemm, *machine) for gemm in gemms]
            self.definitions.append(
                work_pieces.pooled_products(name, gemms, rows, self.declarations)
            )
        return name

    def _direct(self, gemm: Gemm) -> str:
        name = self.kernels.get(gemm)
        if name is None:
            name = self.kernels[gemm] = f"gemm_{len(self.kernels)}"
            self.definitions.append(
                DirectGemm(gemm, self.target, self.declarations).text(name, _batch_loops)
            )
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
    bias_stride: int | None = None  # None: there is no bias
    factors: str = ""  # the type of a and b; `dtype` is that of c

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
        step = None if call.bias is None else call.bias.strides[-1]
        dtype = dtype_name(c.buffer.dtype)
        factors = dtype_name(a.buffer.dtype)
        return cls(dtype, m, n, k, tuple(batch), *map(tuple, strides), step, factors)  # pyright: ignore[reportCallIssue]

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
        many = self.m >= 32
        apart = self.b_strides[-1]
        return self.n > 1 and (apart > NEAR or (many and (apart > 1 or self.n > 2 * lanes)))

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
    flags = [_TRANSPOSED if t else _PLAIN for t, _ in layouts]  # pyright: ignore[reportGeneralTypeIssues]
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
