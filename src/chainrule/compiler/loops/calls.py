"""The calls of a schedule: a loop nest, a matrix product, an op on arrays, a job of the threads.

Each says which buffers it reads and writes; that is all that memory planning knows of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.program import Instr, dtype_name
from ..graph.views import Buffer, View
from ..scalars.expressions import Nodes
from .collapse import collapse
from .nest import Access, Kernel


class KernelCall:
    """Run a kernel; `pointers` are (buffer, element offset), `length` the inner axis."""

    __slots__ = ("kernel", "length", "pointers")

    def __init__(self, kernel: Kernel, pointers: list[tuple[Buffer, int]], length: int) -> None:
        self.kernel = kernel
        self.pointers = pointers
        self.length = length

    def written(self) -> set[int]:
        """Which pointers the kernel stores through."""
        stores = {to.argument for _, to in self.kernel.stores}
        stores |= {argument for _, argument in self.kernel.checks()}
        stores |= {put.to.argument for put in self.kernel.scatters}
        return stores | {to.argument for _, _, to, _ in self.kernel.accumulates}

    def reads(self) -> list[Buffer]:
        nodes = self.kernel.nodes
        loaded = {n.value.argument for n in nodes if n.op == "load"}
        loaded |= {n.value[0].argument for n in nodes if n.op == "take"}
        return [self.pointers[i][0] for i in sorted(loaded)]

    def writes(self) -> list[Buffer]:
        return [self.pointers[i][0] for i in sorted(self.written())]


class GemmCall:
    """c = a @ b (+ bias in every row) for views whose leading axes are batch axes of c's shape."""

    __slots__ = ("a", "b", "bias", "c")

    def __init__(self, a: View, b: View, c: View, bias: View | None = None) -> None:
        self.a = a
        self.b = b
        self.c = c
        self.bias = bias

    def operands(self) -> list[View]:
        """What it reads."""
        return [self.a, self.b] if self.bias is None else [self.a, self.b, self.bias]

    def reads(self) -> list[Buffer]:
        return [view.buffer for view in self.operands()]

    def writes(self) -> list[Buffer]:
        return [self.c.buffer]


class ExternCall:
    """Run an op's NumPy forward on views; its results become buffers, which the views fill.

    A result that nothing reads has no view.
    """

    __slots__ = ("instr", "operands", "results")

    def __init__(self, instr: Instr, operands: list[Any], results: list[View | None]) -> None:
        self.instr = instr
        self.operands = operands
        self.results = results

    def reads(self) -> list[Buffer]:
        return [x.buffer for x in self.operands if isinstance(x, View)]

    def writes(self) -> list[Buffer]:
        return [view.buffer for view in self.results if view is not None]


class JobCall:
    """Run a job of the threads on the rows of a table, in which some fields count from views.

    `views` are by the field's number, `written` the numbers of those that it stores through;
    `symbols` are fields that hold the address of a function, or of zeros if it has no name.
    """

    __slots__ = ("job", "symbols", "table", "views", "written")

    def __init__(
        self, job: str, table: np.ndarray, views: dict[int, View], written: set[int],
        symbols: dict[int, str],
    ) -> None:  # fmt: skip
        self.job = job
        self.table = table
        self.views = views
        self.written = written
        self.symbols = symbols

    @property
    def operands(self) -> list[View]:
        """All views."""
        return list(self.views.values())

    def reads(self) -> list[Buffer]:
        return [view.buffer for i, view in self.views.items() if i not in self.written]

    def writes(self) -> list[Buffer]:
        return [self.views[i].buffer for i in sorted(self.written)]


def swapped(pair: tuple[int, ...]) -> tuple[int, ...]:
    """A shape (or strides) with the last two axes exchanged."""
    return (*pair[:-2], pair[-1], pair[-2])


def matrix_layout(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[bool, int] | None:
    """(transposed, leading dimension) as BLAS wants a row-major matrix, or None if it cannot."""
    rows, columns = shape
    row, column = strides
    if (column == 1 or columns == 1) and (row >= columns or rows == 1):
        return False, row if rows > 1 else columns
    if (row == 1 or rows == 1) and (column >= rows or columns == 1):
        return True, column if columns > 1 else rows
    return None


def copy_call(source: View, target: View) -> KernelCall:
    """A kernel that copies one view into another of the same shape, bit by bit."""
    size = target.buffer.dtype.itemsize
    dtype = {1: "u8", 2: "u16", 4: "u32"}.get(size, "u64")
    shape, places = source.shape, (source.strides, target.strides)
    if size == 16:  # complex128: two words per element
        shape = (*shape, 2)
        places = tuple((*(2 * s for s in strides), 1) for strides in places)
    nodes = Nodes()
    loaded = nodes.add("load", (), dtype, Access(0, places[0]))
    stores = ((loaded, Access(1, places[1])),)
    kernel = collapse(Kernel(shape, (dtype, dtype), tuple(nodes.nodes), stores, ()))
    pointers = [(source.buffer, source.offset), (target.buffer, target.offset)]
    return KernelCall(kernel, pointers, kernel.space[-1])


def addition(target: View, bias: View) -> KernelCall:
    """A kernel that adds a bias to every row of a matrix, where it is."""
    dtype = dtype_name(target.buffer.dtype)
    nodes = Nodes()
    place, row = Access(0, target.strides), Access(1, (0, bias.strides[-1]))
    operands = tuple(nodes.add("load", (), dtype, access) for access in (place, row))
    stores = ((nodes.add("add", operands, dtype), place),)
    kernel = Kernel(target.shape, (dtype, dtype), tuple(nodes.nodes), stores, ())
    pointers = [(v.buffer, v.offset) for v in (target, bias)]
    return KernelCall(kernel, pointers, target.shape[-1])
