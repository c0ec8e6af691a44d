"""LLVM assembly that copies blocks of a factor into panels, as the innermost loop reads them.

The parts of a blocked product that are not arithmetic: loads and stores with masks, loops over
blocks, transposed squares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ..text.assembly import ITEM_BYTES, LLVM_TYPES, Function

UNROLL = 4  # steps of k per turn of the innermost loop; panels are padded to a multiple of it


class Tiles(NamedTuple):
    """What the registers of a machine hold."""

    vector_bytes: int
    height: int  # rows of a tile
    vectors: int  # vectors of a tile in each row

    def lanes(self, dtype: str) -> int:
        """Elements of a vector."""
        return self.vector_bytes // ITEM_BYTES[dtype]

    def columns(self, dtype: str) -> int:
        """Columns of a tile."""
        return self.vectors * self.lanes(dtype)


class Panels:
    """Writes functions of one dtype for vectors of some number of lanes."""

    together = 1  # elements of a line that stand in one element of a panel

    def __init__(self, dtype: str, tiles: Tiles, declarations: set[str], lanes: int = 0) -> None:
        self.dtype = dtype
        self.tiles = tiles
        self.declarations = declarations
        self.lanes = lanes or tiles.lanes(dtype)
        self.columns = tiles.columns(dtype)
        self.size = ITEM_BYTES[dtype]
        self.scalar = LLVM_TYPES[dtype]
        self.vector = f"<{self.lanes} x {self.scalar}>"
        self.mask = f"<{self.lanes} x i1>"
        self.suffix = f"v{self.lanes}{dtype}"

    def _function(self) -> Function:
        return Function(self.declarations)

    # ---- small pieces --------------------------------------------------------------------------

    def _at(self, f: Function, base: str, offset: str) -> str:
        return f.value(f"getelementptr i8, ptr {base}, i64 {offset}")

    def _smaller(self, f: Function, x: str, y: str) -> str:
        self.declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
        return f.value(f"call i64 @llvm.smin.i64(i64 {x}, i64 {y})")

    def _lanes_below(self, f: Function, count: str) -> str:
        """The mask of the lanes whose number is below `count`."""
        wide = f"<{self.lanes} x i64>"
        one = f.value(f"insertelement {wide} poison, i64 {count}, i32 0")
        every = f.value(
            f"shufflevector {wide} {one}, {wide} poison, <{self.lanes} x i32> zeroinitializer"
        )
        numbers = ", ".join(f"i64 {lane}" for lane in range(self.lanes))
        return f.value(f"icmp slt {wide} <{numbers}>, {every}")

    def _load(self, f: Function, pointer: str, mask: str) -> str:
        name = f"@llvm.masked.load.{self.suffix}.p0"
        self.declarations.add(f"declare {self.vector} {name}(ptr, i32, {self.mask}, {self.vector})")
        return f.value(
            f"call {self.vector} {name}(ptr {pointer}, i32 1, {self.mask} {mask}, "
            f"{self.vector} zeroinitializer)"
        )

    def _store(self, f: Function, vector: str, pointer: str, mask: str) -> None:
        name = f"@llvm.masked.store.{self.suffix}.p0"
        self.declarations.add(f"declare void {name}({self.vector}, ptr, i32, {self.mask})")
        f.do(f"call void {name}({self.vector} {vector}, ptr {pointer}, i32 1, {self.mask} {mask})")

    @contextmanager
    def _blocks(
        self, f: Function, total: str, step: str | Callable[[str], str]
    ) -> Iterator[tuple[str, str]]:
        """`for start in range(0, total, step)`: gives the start and the length of each block.

        The step may depend on what is left.
        """
        head, done = f.block_name("block"), f.block_name("blocks_done")
        slot = f.alloca("i64")
        f.do(f"store i64 0, ptr {slot}")
        f.do(f"br label %{head}")
        f.start(head)
        start = f.value(f"load i64, ptr {slot}")
        left = f.value(f"sub i64 {total}, {start}")
        step = step if isinstance(step, str) else step(left)
        yield start, self._smaller(f, left, step)
        following = f.value(f"add i64 {start}, {step}")
        f.do(f"store i64 {following}, ptr {slot}")
        again = f.value(f"icmp slt i64 {following}, {total}")
        f.do(f"br i1 {again}, label %{head}, label %{done}")
        f.start(done)

    # ---- panels --------------------------------------------------------------------------------

    def _pack(self) -> str:
        """Up to one vector of lines of a factor, into a panel `width` wide.

        A line runs along k.  `line` and `step` are strides in bytes: from line to line and along k.
        One of them must be the size of an element.  `lines` exist; what stands in the rest of the
        `kept` ones only reaches elements of the tile that are dropped.  So many zeros as `after`
        says follow after `k`, or more.
        """
        f = self._function()
        kept = self._lanes_below(f, "%kept")
        plain = f.value(f"icmp eq i64 %line, {self.size // self.together}")
        across, along, done = (f.block_name(n) for n in ("across", "along", "packed"))
        f.do(f"br i1 {plain}, label %{across}, label %{along}")
        f.start(across)
        self._pack_across(f, kept)
        f.do(f"br label %{done}")
        f.start(along)
        self._pack_along(f, kept)
        f.do(f"br label %{done}")
        f.start(done)
        return f.text(
            f"internal void @pack_{self.dtype}_{self.lanes}(ptr noalias %out, i64 %width, "
            "ptr noalias %in, i64 %line, i64 %step, i64 %lines, i64 %kept, i64 %k, "
            "i64 %after) noinline"
        )

    def _row_of_panel(self, f: Function, index: str) -> str:
        offset = f.value(f"mul i64 {index}, %width")
        return f.value(f"getelementptr {self.scalar}, ptr %out, i64 {offset}")

    def _pack_across(self, f: Function, kept: str) -> None:
        """The lines lie side by side: a vector of them per step."""
        real = self._lanes_below(f, "%lines")
        with f.loop("%k") as t:
            values = self._load(f, self._at(f, "%in", f.value(f"mul i64 {t}, %step")), real)
            self._store(f, values, self._row_of_panel(f, t), kept)
        with f.when(f.value("icmp sgt i64 %after, 0")), f.loop("%after") as t:
            row = self._row_of_panel(f, f.value(f"add i64 %k, {t}"))
            self._store(f, "zeroinitializer", row, kept)

    def _pack_along(self, f: Function, kept: str) -> None:
        """Each line lies in one piece: squares of lanes x lanes elements are transposed."""
        last = f.value("sub i64 %lines, 1")
        with self._blocks(f, "%k", str(self.lanes)) as (t, length):
            real = self._lanes_below(f, length)
            column = self._at(f, "%in", f.value(f"mul i64 {t}, {self.size}"))
            rows = []
            for i in range(self.lanes):
                number = self._smaller(f, str(i), last)
                place = self._at(f, column, f.value(f"mul i64 {number}, %line"))
                rows.append(self._load(f, place, real))
            for j, values in enumerate(self._transposed(f, rows)):
                row = self._row_of_panel(f, f.value(f"add i64 {t}, {j}"))
                self._store(f, values, row, kept)

    def _transposed(self, f: Function, rows: list[str]) -> list[str]:
        """A square of vectors transposed: at each distance, corners of blocks change places."""
        distance = 1
        while distance < self.lanes:
            low = [x if not x & distance else self.lanes + x - distance for x in range(self.lanes)]
            high = [x + distance if not x & distance else self.lanes + x for x in range(self.lanes)]
            new = list(rows)
            for i in range(self.lanes):
                if not i & distance:
                    pair = rows[i], rows[i + distance]
                    new[i] = self._shuffle(f, *pair, low)
                    new[i + distance] = self._shuffle(f, *pair, high)
            rows = new
            distance *= 2
        return rows

    def _shuffle(self, f: Function, a: str, b: str, order: list[int]) -> str:
        picks = ", ".join(f"i32 {x}" for x in order)
        return f.value(
            f"shufflevector {self.vector} {a}, {self.vector} {b}, <{self.lanes} x i32> <{picks}>"
        )
