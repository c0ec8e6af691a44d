"""LLVM assembly of products whose right factor was packed before: one matrix, many products.

A recurrent layer multiplies a few rows by the same weights in every step.  `pack_right` copies the
weights into panels once, `packed_piece` multiplies with these panels where they lie.

Panels follow each other in the order in which they are read: along k in blocks of `kc`, in each
block across the columns.  All are as wide as a tile.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..text.assembly import ITEM_BYTES, Function
from .gemm_text import ARGUMENTS, UNROLL, Tiles, _Product, _type_of

_LINE = 64  # bytes of a line of the cache


def module_text(tiles: Tiles, dtype: str) -> str:
    """The module of one dtype: `pack_right` and `packed_piece`, each `(arguments, workspace)`.

    The arguments are those of `gemm_piece`.  `pack_right` copies b to c; `packed_piece` finds there
    what is given to it as b.  Both must be told the same `n`, `k` and `kc`.  For `packed_piece`,
    `b_row` is the address of what will be wanted next: it is asked for while the tiles multiply.
    """
    declarations: set[str] = set()
    parts = list(_Packed(dtype, tiles, declarations).texts())
    return "\n".join([*sorted(declarations), *parts])


def packed_bytes(k: int, n: int, tiles: Tiles, dtype: str) -> int:
    """Room for a packed factor, and for the zeros that packing may write behind its end."""
    columns, lanes = tiles.columns(dtype), tiles.lanes(dtype)
    deep = -(-k // UNROLL) * UNROLL + lanes
    return deep * -(-n // columns) * columns * ITEM_BYTES[dtype]


class _Packed(_Product):
    """As a product of two matrices, but the panels of b are there already."""

    def texts(self) -> Iterator[str]:
        yield from self._blocks_and_tiles()
        yield self._piece("packed_piece")
        yield self._pack_right()

    def _right_panels(
        self, f: Function, p: str, j: str, columns: str, depths: tuple[str, str]
    ) -> tuple[str, str]:
        place = self._place_of_panel(f, p, j, depths[1])
        # The tiles of the panels before this one have asked for a line in each of their turns.
        turns = f.value(f"udiv i64 {place}, {self.columns * self.size * UNROLL}")
        more = f.value(f"add i64 %m, {self.tiles.height - 1}")
        tiles = f.value(f"udiv i64 {more}, {self.tiles.height}")
        asked = f.value(f"mul i64 {f.value(f'mul i64 {turns}, {tiles}')}, {_LINE}")
        return self._at(f, "%b", place), self._at(f, f.value("inttoptr i64 %b_row to ptr"), asked)

    def _lines_ahead(self, f: Function, i: str, ahead: str) -> tuple[str, str]:
        tile = f.value(f"udiv i64 {i}, {self.tiles.height}")
        each = f.value(f"mul i64 %kc, {_LINE // UNROLL}")
        return self._at(f, ahead, f.value(f"mul i64 {tile}, {each}")), str(_LINE)

    def _block_columns(self, f: Function, left: str) -> str:
        """As they were packed."""
        return str(self.columns)

    def _place_of_panel(self, f: Function, p: str, j: str, padded: str) -> str:
        """Bytes from the first panel to the one at (p, j)."""
        across = f.value(f"udiv i64 {f.value(f'add i64 %n, {self.columns - 1}')}, {self.columns}")
        before = f.value(f"mul i64 {f.value(f'mul i64 {across}, {self.columns}')}, {p}")
        beside = f.value(f"mul i64 {j}, {padded}")
        return f.value(f"mul i64 {f.value(f'add i64 {before}, {beside}')}, {self.size}")

    def _pack_right(self) -> str:
        """Panels in ascending order: what one writes behind its end, the next one overwrites."""
        f = self._function()
        for i, name in enumerate(ARGUMENTS):
            if name in ("b", "b_row", "b_column", "c", "n", "k", "kc"):
                kind, place = _type_of(name), self._at(f, "%arguments", str(8 * i))
                f.do(f"%{name} = load {kind}, ptr {place}")
        with self._blocks(f, "%k", "%kc") as (p, depth):
            padded = self._padded(f, depth)
            row = self._at(f, "%b", f.value(f"mul i64 {p}, %b_row"))
            with self._blocks(f, "%n", str(self.columns)) as (j, columns):
                b = self._at(f, row, f.value(f"mul i64 {j}, %b_column"))
                to = self._at(f, "%c", self._place_of_panel(f, p, j, padded))
                strides = "%b_column", "%b_row"
                self._panels(f, to, self.columns, self.lanes, b, strides, columns, (depth, padded))
        return f.text("void @pack_right(ptr %arguments, ptr %workspace)")
