"""LLVM assembly of a blocked matrix product for one machine: c = a @ b + bias, any strides.

Both factors are copied in blocks into panels that lie as the innermost loop reads them: a few rows
of a, or a few vectors of columns of b, element after element along k, zeros at the end of k.  The
innermost loop keeps a tile of c in registers: per step of k it loads the vectors of b and
multiplies them by each element of a.

Every element of c is summed along k in the same order (blocks of `kc`, ascending), whatever tile or
thread it falls to.  So the bits of a result do not depend on how the work was divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from ..text.assembly import Function
from .panels import UNROLL, Panels, Tiles

_SMALL_PANEL_LANES = 8  # panels of a are narrow: wider vectors would transpose mostly zeros


# 8 x 3 vectors measure within 1 % of the most that AVX-512 can do; 14 x 2 fill more registers but
# load more per product and stay 5 % below.
TILES = {64: Tiles(64, 8, 3), 32: Tiles(32, 6, 2)}

ARGUMENTS = (
    "a", "a_row", "a_column", "b", "b_row", "b_column", "c", "c_row",
    "m", "n", "k", "mc", "kc", "bias", "bias_step", "row_bias", "row_bias_step", "accumulate",
)  # fmt: skip
_POINTERS = ("a", "b", "c", "bias", "row_bias", "a_panels", "b_panels")
_PANEL_OF_B = 640 * 1024  # where it begins in the workspace; the panels of a come first


_ROWS = 512  # rows of a that are packed at once (half as many doubles): half of the L2 cache
_STEPS = 32  # of k that are packed at a time where lines lie side by side: a multiple of UNROLL
DEPTH = 264  # elements along k that are summed in registers before they go to c


def blocks(k: int, size: int, tiles: Tiles, together: int = 1) -> tuple[int, int]:
    """Elements along k that are summed in registers, and rows of a that are packed at once.

    `size` is that of an element of a panel, in which so many of k stand `together`.
    """
    steps = -(-k // together)
    depth = -(-steps // (-(-steps // DEPTH) * UNROLL)) * UNROLL
    return depth * together, _ROWS * 4 // size // tiles.height * tiles.height


def cuts(length: int, count: int, unit: int = 1) -> list[tuple[int, int]]:
    """At most `count` parts as (start, length): all but the last equal, multiples of `unit`.

    None is shorter than `unit`, unless the whole is.
    """
    step = max(unit, -(-length // (count * unit)) * unit)
    starts = list(range(0, length, step))
    if len(starts) > 1 and length - starts[-1] < unit:
        starts.pop()
    return [(a, b - a) for a, b in pairwise([*starts, length])]


def _type_of(argument: str) -> str:
    return "ptr" if argument in _POINTERS else "i64"


def module_text(tiles: Tiles, dtype: str) -> str:
    """The module of one dtype: `gemm_piece(arguments, workspace)`, `gemm_list(list, workspace)`.

    The arguments are ARGUMENTS, 8 bytes each, strides in bytes.  `bias` is added to every row and
    `row_bias` to every column; with a step of 0 they are one vector and one element of zeros.  With
    `accumulate` the product is added to what c holds, without them.
    """
    declarations: set[str] = set()
    writer = PairProduct("f32", tiles, declarations) if dtype == "bf16" else None
    parts = list((writer or _Product(dtype, tiles, declarations)).texts())
    return "\n".join([*sorted(declarations), *parts])


class _Product(Panels):
    """Writes the functions of one dtype."""

    def texts(self) -> Iterator[str]:
        """All definitions."""
        yield from self._blocks_and_tiles()
        yield self._piece("gemm_piece")
        yield self._list_of_pieces()

    def _blocks_and_tiles(self) -> Iterator[str]:
        """What every product that packs both factors consists of."""
        narrow = min(self.lanes, _SMALL_PANEL_LANES)
        for lanes in sorted({narrow, self.lanes}):
            yield type(self)(self.dtype, self.tiles, self.declarations, lanes)._pack()
        yield from self._all_tiles()
        yield self._gemm(narrow)

    def _all_tiles(self) -> Iterator[str]:
        yield self._border()
        for height, vectors in self._shapes():
            yield self._tile(height, vectors)
        for vectors in range(self.tiles.vectors, 0, -1):
            yield self._tile(self.tiles.height, vectors, packed=False)

    def _shapes(self) -> list[tuple[int, int]]:
        """Tiles there is code for: the full one, and smaller ones for the borders of c."""
        full = self.tiles.height
        return [(h, v) for h in (full, full // 2) for v in range(self.tiles.vectors, 0, -1)]

    # ---- the tile ------------------------------------------------------------------------------

    def _tile(self, height: int, vectors: int, packed: bool = True) -> str:
        """height rows and some vectors of c.

        Rows of a that lie in one piece may be read where they are (`packed` is False): the tile
        follows one pointer for each of them.
        """
        f = self._function()
        self.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        sums = [[f.alloca(self.vector) for _ in range(vectors)] for _ in range(height)]
        for slot in [s for row in sums for s in row]:
            f.do(f"store {self.vector} zeroinitializer, ptr {slot}")
        lines = [] if packed else self._lines_of_a(f, height)
        with f.loop("%k", UNROLL) as t:
            if packed:
                start = self._at(f, "%a", f.value(f"mul i64 {t}, {self.tiles.height * self.size}"))
                rows = [self._at(f, start, str(r * self.size)) for r in range(height)]
            else:
                rows = [self._at(f, x, f.value(f"mul i64 {t}, {self.size}")) for x in lines]
            b = self._at(f, "%b", f.value(f"mul i64 {t}, {self.columns * self.size}"))
            turn = f.value(f"lshr i64 {t}, {UNROLL.bit_length() - 1}")
            ahead = self._at(f, "%ahead", f.value(f"mul i64 {turn}, %ahead_step"))
            f.do(f"call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 2, i32 1)")
            step = self.tiles.height * self.size if packed else self.size
            for u in range(UNROLL):
                a = [self._at(f, row, str(u * step)) for row in rows]
                self._tile_step(f, a, b, u, sums)
        self._write(f, sums)
        name = f"tile_{self.dtype}_{height}_{vectors}{'' if packed else '_in_place'}"
        return f.text(
            f"internal void @{name}(ptr noalias %a, i64 %a_row, ptr noalias %b, "
            "ptr noalias %c, i64 %c_row, i64 %k, i64 %start, "
            "ptr %ahead, i64 %ahead_step, ptr %bias, i64 %bias_step, "
            "ptr %row_bias, i64 %row_bias_step) noinline"
        )

    def _lines_of_a(self, f: Function, height: int) -> list[str]:
        return [self._at(f, "%a", f.value(f"mul i64 %a_row, {r}")) for r in range(height)]

    def _places(self, f: Function, sums: list[list[str]], r: int) -> list[tuple[str, str]]:
        """The vectors of a row of the tile: where they belong in c, and their sums."""
        line = self._at(f, "%c", f.value(f"mul i64 %c_row, {r}"))
        return [
            (
                self._at(f, line, str(v * self.lanes * self.size)),
                f.value(f"load {self.vector}, ptr {slot}"),
            )
            for v, slot in enumerate(sums[r])
        ]

    def _bias(self, f: Function, v: int) -> str:
        """Where the bias of a vector of columns lies."""
        return self._at(f, "%bias", f.value(f"mul i64 %bias_step, {v * self.lanes}"))

    def _row_bias(self, f: Function, r: int) -> str:
        """The bias of a row of the tile, in every lane."""
        place = self._at(f, "%row_bias", f.value(f"mul i64 %row_bias_step, {r}"))
        return self._every_lane(f, f.value(f"load {self.scalar}, ptr {place}"))

    def _every_lane(self, f: Function, number: str) -> str:
        first = f.value(f"insertelement {self.vector} poison, {self.scalar} {number}, i32 0")
        return f.value(
            f"shufflevector {self.vector} {first}, {self.vector} poison, "
            f"<{self.lanes} x i32> zeroinitializer"
        )

    def _write(self, f: Function, sums: list[list[str]]) -> None:
        first, later, done = (f.block_name(n) for n in ("first", "later", "written"))
        f.do(f"br i1 {f.value('icmp eq i64 %start, 0')}, label %{first}, label %{later}")
        f.start(first)
        bias = [
            f.value(f"load {self.vector}, ptr {self._bias(f, v)}, align 1")
            for v in range(len(sums[0]))
        ]
        for r in range(len(sums)):
            level = self._row_bias(f, r)
            for (place, total), more in zip(self._places(f, sums, r), bias, strict=True):
                total = f.value(f"fadd {self.vector} {total}, {more}")
                total = f.value(f"fadd {self.vector} {total}, {level}")
                f.do(f"store {self.vector} {total}, ptr {place}, align 1")
        f.do(f"br label %{done}")
        f.start(later)
        for r in range(len(sums)):
            for place, total in self._places(f, sums, r):
                before = f.value(f"load {self.vector}, ptr {place}, align 1")
                total = f.value(f"fadd {self.vector} {before}, {total}")
                f.do(f"store {self.vector} {total}, ptr {place}, align 1")
        f.do(f"br label %{done}")
        f.start(done)

    def _border(self) -> str:
        """Copies what exists of a tile at the border of c from where the tile was written."""
        f = self._function()
        adds = f.value("icmp ne i64 %start, 0")
        vectors = f.value(
            f"udiv i64 {f.value(f'add i64 %columns, {self.lanes - 1}')}, {self.lanes}"
        )
        with f.loop("%rows") as r:
            line = self._at(f, "%c", f.value(f"mul i64 %c_row, {r}"))
            level = self._at(f, "%row_bias", f.value(f"mul i64 %row_bias_step, {r}"))
            level = self._every_lane(f, f.value(f"load {self.scalar}, ptr {level}"))
            level = f.value(
                f"select i1 {adds}, {self.vector} zeroinitializer, {self.vector} {level}"
            )
            row = self._at(f, "%tile", f.value(f"mul i64 {r}, {self.columns * self.size}"))
            with f.loop(vectors) as v:
                skipped = f.value(f"mul i64 {v}, {self.lanes}")
                mask = self._lanes_below(f, f.value(f"sub i64 %columns, {skipped}"))
                offset = f.value(f"mul i64 {skipped}, {self.size}")
                total = f.value(f"load {self.vector}, ptr {self._at(f, row, offset)}")
                place = self._at(f, line, offset)
                bias = self._at(f, "%bias", f.value(f"mul i64 %bias_step, {skipped}"))
                source = f.value(f"select i1 {adds}, ptr {place}, ptr {bias}")
                total = f.value(f"fadd {self.vector} {self._load(f, source, mask)}, {total}")
                total = f.value(f"fadd {self.vector} {total}, {level}")
                self._store(f, total, place, mask)
        return f.text(
            f"internal void @border_{self.dtype}(ptr noalias %tile, ptr noalias %c, i64 %c_row, "
            "i64 %rows, i64 %columns, i64 %start, ptr %bias, i64 %bias_step, ptr %row_bias, "
            "i64 %row_bias_step) noinline"
        )

    def _tile_step(self, f: Function, a: list[str], b: str, u: int, sums: list[list[str]]) -> None:
        fma = f"@llvm.fma.{self.suffix}"
        self.declarations.add(f"declare {self.vector} {fma}({', '.join([self.vector] * 3)})")
        right = []
        for v in range(len(sums[0])):
            place = self._at(f, b, str((u * self.columns + v * self.lanes) * self.size))
            right.append(
                f.value(f"load {self.vector}, ptr {place}, align {self.tiles.vector_bytes}")
            )
        for place, row in zip(a, sums, strict=True):
            one = f.value(f"load {self.scalar}, ptr {place}")
            left = self._every_lane(f, one)
            for slot, column in zip(row, right, strict=True):
                before = f.value(f"load {self.vector}, ptr {slot}")
                after = f.value(
                    f"call {self.vector} {fma}({self.vector} {left}, {self.vector} {column}, "
                    f"{self.vector} {before})"
                )
                f.do(f"store {self.vector} {after}, ptr {slot}")

    # ---- blocks --------------------------------------------------------------------------------

    def _gemm(self, narrow: int) -> str:
        """The outer loops: along k, down a block of rows, across blocks of columns."""
        f = self._function()
        with self._blocks(f, "%k", "%kc") as (p, depth):
            before = f.value(f"add i64 {p}, %accumulate")
            padded = self._padded(f, depth)
            with self._blocks(f, "%m", "%mc") as (i, rows):
                a = self._at(f, "%a", f.value(f"mul i64 {i}, %a_row"))
                a = self._at(f, a, f.value(f"mul i64 {p}, %a_column"))
                c = self._at(f, "%c", f.value(f"mul i64 {i}, %c_row"))
                level = self._at(f, "%row_bias", f.value(f"mul i64 {i}, %row_bias_step"))
                in_place = self._may_stay_in_place(f, rows, depth, padded)
                with f.when(f.value(f"xor i1 {in_place}, true")):
                    self._panels(
                        f, "%a_panels", self.tiles.height, narrow, a, ("%a_row", "%a_column"),
                        rows, (depth, padded),
                    )  # fmt: skip
                with self._blocks(f, "%n", partial(self._block_columns, f)) as (j, columns):
                    right = self._right_panels(f, p, j, columns, (depth, padded))
                    there = self._at(f, c, f.value(f"mul i64 {j}, {self.size}"))
                    bias = self._at(f, "%bias", f.value(f"mul i64 {j}, %bias_step"))
                    left = in_place, a
                    self._tiles(f, there, left, rows, columns, padded, before, right, (bias, level))
        names = (*ARGUMENTS, "a_panels", "b_panels")
        arguments = ", ".join(f"{_type_of(name)} %{name}" for name in names)
        return f.text(f"internal void @gemm({arguments})")

    def _block_columns(self, f: Function, left: str) -> str:
        """How many columns make the next block: two halves rather than a whole and a small rest.

        A tile of one vector takes nearly twice as long as its share of a whole one.
        """
        if self.tiles.vectors < 3:
            return str(self.columns)
        more = f.value(f"icmp sgt i64 {left}, {self.columns}")
        few = f.value(f"icmp sle i64 {left}, {self.columns + self.lanes}")
        both = f.value(f"and i1 {more}, {few}")
        return f.value(f"select i1 {both}, i64 {2 * self.lanes}, i64 {self.columns}")

    def _padded(self, f: Function, depth: str) -> str:
        """How deep the panels of a block along k are."""
        steps = self._steps(f, depth)
        return f.value(f"and i64 {f.value(f'add i64 {steps}, {UNROLL - 1}')}, {-UNROLL}")

    def _steps(self, f: Function, depth: str) -> str:
        """Elements of a panel that hold so many of k."""
        if self.together == 1:
            return depth
        return f.value(
            f"udiv i64 {f.value(f'add i64 {depth}, {self.together - 1}')}, {self.together}"
        )

    def _may_stay_in_place(self, f: Function, rows: str, depth: str, padded: str) -> str:
        """Whether a block of a needs no panels: whole tiles of rows that lie in one piece.

        Rows a multiple of a page apart would fall into the same lines of the cache.
        """
        apart = f.value(f"icmp ne i64 {f.value('and i64 %a_row, 4095')}, 0")
        plain = f.value(f"icmp eq i64 %a_column, {self.size // self.together}")
        whole = f.value(f"mul i64 {padded}, {self.together}")
        even = f.value(f"icmp eq i64 {depth}, {whole}")
        rest = f.value(f"urem i64 {rows}, {self.tiles.height}")
        full = f.value(f"icmp eq i64 {rest}, 0")
        both = f.value(f"and i1 {plain}, {even}")
        return f.value(f"and i1 {f.value(f'and i1 {both}, {full}')}, {apart}")

    def _right_panels(
        self, f: Function, p: str, j: str, columns: str, depths: tuple[str, str]
    ) -> tuple[str, str]:
        """Pack the panel of b at (p, j); gives where it is, and what is to be packed next."""
        b, ahead = self._right_panel(f, p, j, depths[0])
        strides = "%b_column", "%b_row"
        self._panels(f, "%b_panels", self.columns, self.lanes, b, strides, columns, depths)
        return "%b_panels", ahead

    def _list_of_pieces(self) -> str:
        """Several products, one after the other: `list` holds where their arguments begin and how
        many there are."""
        f = self._function()
        first = f.value("load ptr, ptr %list")
        count = f.value(f"load i64, ptr {self._at(f, '%list', '8')}")
        with f.loop(count) as i:
            arguments = self._at(f, first, f.value(f"mul i64 {i}, {8 * len(ARGUMENTS)}"))
            f.do(f"call void @gemm_piece(ptr {arguments}, ptr %workspace)")
        return f.text("void @gemm_list(ptr %list, ptr %workspace)")

    def _panel_of_b(self, f: Function) -> str:
        return self._at(f, "%workspace", str(_PANEL_OF_B))

    def _piece(self, name: str) -> str:
        """The entry: reads the arguments from memory and places the panels in the workspace."""
        f = self._function()
        values = []
        for i, argument in enumerate(ARGUMENTS):
            kind = _type_of(argument)
            place = self._at(f, "%arguments", str(8 * i))
            values.append(f"{kind} {f.value(f'load {kind}, ptr {place}')}")
        panels = "ptr %workspace", f"ptr {self._panel_of_b(f)}"
        f.do(f"call void @gemm({', '.join([*values, *panels])})")
        return f.text(f"void @{name}(ptr %arguments, ptr %workspace)")

    def _right_panel(self, f: Function, p: str, j: str, depth: str) -> tuple[str, str]:
        """Where b's panel at (p, j) begins, and the panel that is wanted next."""
        row = self._at(f, "%b", f.value(f"mul i64 {p}, %b_row"))
        b = self._at(f, row, f.value(f"mul i64 {j}, %b_column"))
        beside = self._at(f, b, f.value(f"mul i64 %b_column, {self.columns}"))
        below = self._at(f, row, f.value(f"mul i64 {depth}, %b_row"))
        ends = f.value(f"icmp sge i64 {f.value(f'add i64 {j}, {self.columns}')}, %n")
        return b, f.value(f"select i1 {ends}, ptr {below}, ptr {beside}")

    def _panels(
        self, f: Function, out: str, width: int, lanes: int, source: str,
        strides: tuple[str, str], lines: str, depths: tuple[str, str],
    ) -> None:  # fmt: skip
        """Copy a block of a factor into panels; vectors without a line are left as they are.

        Lines that lie side by side are copied a few steps of k at a time: these lie far apart, and
        a processor knows the places of few pages at once.
        """
        line, step = strides
        beside = f.value(f"icmp eq i64 {line}, {self.size // self.together}")
        part = f.value(f"select i1 {beside}, i64 {_STEPS}, i64 {depths[0]}")
        zeros = f.value(f"sub i64 {depths[1]}, {self._steps(f, depths[0])}")
        with self._blocks(f, depths[0], part) as (t, depth):
            ends = f.value(f"icmp eq i64 {f.value(f'add i64 {t}, {depth}')}, {depths[0]}")
            after = f.value(f"select i1 {ends}, i64 {zeros}, i64 0")
            below = self._at(f, source, f.value(f"mul i64 {t}, {step}"))
            row = self._at(f, out, f.value(f"mul i64 {self._steps(f, t)}, {width * self.size}"))
            with self._blocks(f, lines, str(width)) as (first, here):
                skip = f.value(f"mul i64 {f.value(f'mul i64 {first}, {depths[1]}')}, {self.size}")
                panel = self._at(f, row, skip)
                start = self._at(f, below, f.value(f"mul i64 {first}, {line}"))
                with self._blocks(f, here, str(lanes)) as (group, real):
                    to = self._at(f, panel, f.value(f"mul i64 {group}, {self.size}"))
                    begin = self._at(f, start, f.value(f"mul i64 {group}, {line}"))
                    kept = self._smaller(f, f.value(f"sub i64 {width}, {group}"), str(lanes))
                    f.do(
                        f"call void @pack_{self.dtype}_{lanes}(ptr {to}, i64 {width}, ptr {begin}, "
                        f"i64 {line}, i64 {step}, i64 {real}, i64 {kept}, i64 {depth}, i64 {after})"
                    )

    def _tiles(
        self, f: Function, c: str, left: tuple[str, str], rows: str, columns: str, depth: str,
        start: str, right: tuple[str, str], biases: tuple[str, str],
    ) -> None:  # fmt: skip
        """Multiply the panels of a block of rows (or the rows in place) by one panel of b.

        Tiles at the border of c are written beside it and copied from there as far as they exist.
        """
        panel_of_b, ahead = right
        high_tile, low_tile = (
            self._tile_for(f, height, columns)
            for height in (self.tiles.height, self.tiles.height // 2)
        )
        tile_in_place = self._tile_for(f, self.tiles.height, columns, "_in_place")
        rest = f.value(f"urem i64 {columns}, {self.lanes}")
        narrow = f.value(f"icmp ne i64 {rest}, 0")
        self.declarations.add(f"@zeros = internal constant {self.vector} zeroinitializer, align 64")
        beside = f.alloca(self.vector, self.tiles.height * self.tiles.vectors)
        with self._blocks(f, rows, str(self.tiles.height)) as (i, high):
            offset = f.value(f"mul i64 {f.value(f'mul i64 {i}, {depth}')}, {self.size}")
            panel = self._at(f, "%a_panels", offset)
            line = self._at(f, left[1], f.value(f"mul i64 {i}, %a_row"))
            a = f.value(f"select i1 {left[0]}, ptr {line}, ptr {panel}")
            place = self._at(f, c, f.value(f"mul i64 {i}, %c_row"))
            low = f.value(f"icmp sle i64 {high}, {self.tiles.height // 2}")
            tile = f.value(f"select i1 {low}, ptr {low_tile}, ptr {high_tile}")
            tile = f.value(f"select i1 {left[0]}, ptr {tile_in_place}, ptr {tile}")
            first, step = self._lines_ahead(f, i, ahead)
            level = self._at(f, biases[1], f.value(f"mul i64 {i}, %row_bias_step"))
            height = f.value(
                f"select i1 {low}, i64 {self.tiles.height // 2}, i64 {self.tiles.height}"
            )
            short = f.value(f"icmp ne i64 {high}, {height}")
            border = f.value(f"or i1 {short}, {narrow}")
            apart = [
                f.value(f"select i1 {border}, {own}, {usual}")
                for own, usual in (
                    (f"ptr {beside}", f"ptr {place}"),
                    (f"i64 {self.columns * self.size}", "i64 %c_row"),
                    ("i64 0", f"i64 {start}"),
                    ("ptr @zeros", f"ptr {biases[0]}"),
                    ("i64 0", "i64 %bias_step"),
                    ("ptr @zeros", f"ptr {level}"),
                    ("i64 0", "i64 %row_bias_step"),
                )
            ]
            to, row, before, bias, bias_step, row_bias, row_bias_step = apart
            f.do(
                f"call void {tile}(ptr {a}, i64 %a_row, ptr {panel_of_b}, ptr {to}, i64 {row}, "
                f"i64 {depth}, i64 {before}, ptr {first}, i64 {step}, ptr {bias}, "
                f"i64 {bias_step}, ptr {row_bias}, i64 {row_bias_step})"
            )
            with f.when(border):
                f.do(
                    f"call void @border_{self.dtype}(ptr {beside}, ptr {place}, i64 %c_row, "
                    f"i64 {high}, i64 {columns}, i64 {start}, ptr {biases[0]}, i64 %bias_step, "
                    f"ptr {level}, i64 %row_bias_step)"
                )

    def _lines_ahead(self, f: Function, i: str, ahead: str) -> tuple[str, str]:
        """Which cache lines of b's next panel a tile asks for: the first, and the way to the next.

        The tiles of a block share the lines: where rows of b are contiguous, sixteen tiles take
        turns in four rows and four lines of each; else each takes one line of every column.
        """
        tile = f.value(f"udiv i64 {i}, {self.tiles.height}")
        row = f.value(f"mul i64 {f.value(f'and i64 {tile}, 3')}, %b_row")
        quarter = f.value(f"and i64 {f.value(f'lshr i64 {tile}, 2')}, 3")
        line = f.value(f"shl i64 {quarter}, 6")
        across = f.value(f"add i64 {row}, {line}")
        along = f.value(f"shl i64 {tile}, 6")
        plain = f.value(f"icmp eq i64 %b_column, {self.size // self.together}")
        offset = f.value(f"select i1 {plain}, i64 {across}, i64 {along}")
        rows = f.value(f"mul i64 %b_row, {UNROLL}")
        return self._at(f, ahead, offset), f.value(f"select i1 {plain}, i64 {rows}, i64 %b_column")

    def _tile_for(self, f: Function, height: int, columns: str, kind: str = "") -> str:
        """The narrowest tile that has so many columns."""
        chosen = f"@tile_{self.dtype}_{height}_{self.tiles.vectors}{kind}"
        for vectors in range(self.tiles.vectors - 1, 0, -1):
            fits = f.value(f"icmp sle i64 {columns}, {vectors * self.lanes}")
            name = f"@tile_{self.dtype}_{height}_{vectors}{kind}"
            chosen = f.value(f"select i1 {fits}, ptr {name}, ptr {chosen}")
        return chosen


class PairProduct(_Product):
    """c in float32 of bfloat16 factors: an element of a panel is a pair of them along k.

    One instruction multiplies the pairs of two vectors and adds both products to sixteen sums.
    """

    together = 2

    def _tile_step(self, f: Function, a: list[str], b: str, u: int, sums: list[list[str]]) -> None:
        pairs = f"<{2 * self.lanes} x bfloat>"
        dots = "@llvm.x86.avx512bf16.dpbf16ps.512"
        self.declarations.add(f"declare {self.vector} {dots}({self.vector}, {pairs}, {pairs})")
        right = []
        for v in range(len(sums[0])):
            place = self._at(f, b, str((u * self.columns + v * self.lanes) * self.size))
            right.append(f.value(f"load {pairs}, ptr {place}, align {self.tiles.vector_bytes}"))
        for place, row in zip(a, sums, strict=True):
            one = f.value(f"load {self.scalar}, ptr {place}, align 2")
            every = self._every_lane(f, one)
            left = f.value(f"bitcast {self.vector} {every} to {pairs}")
            for slot, column in zip(row, right, strict=True):
                before = f.value(f"load {self.vector}, ptr {slot}")
                after = f.value(
                    f"call {self.vector} {dots}({self.vector} {before}, {pairs} {left}, "
                    f"{pairs} {column})"
                )
                f.do(f"store {self.vector} {after}, ptr {slot}")

    def _pack_across(self, f: Function, kept: str) -> None:
        """The lines lie side by side: two vectors of them per step, as the halves of one."""
        real = self._lanes_below(f, "%lines")
        steps = self._steps(f, "%k")
        with f.loop(steps) as t:
            first = f.value(f"mul i64 {t}, 2")
            second = f.value(f"or i64 {first}, 1")
            low = self._line_of_halves(f, first, real)
            there = f.value(f"icmp slt i64 {second}, %k")
            both = f.value(f"select i1 {there}, {self.mask} {real}, {self.mask} zeroinitializer")
            high = self._line_of_halves(f, second, both)
            words = f"<{self.lanes} x i32>"
            shift = ", ".join(["i32 16"] * self.lanes)
            high = f.value(f"shl {words} {high}, <{shift}>")
            pair = f.value(f"or {words} {low}, {high}")
            self._store(
                f,
                f.value(f"bitcast {words} {pair} to {self.vector}"),
                self._row_of_panel(f, t),
                kept,
            )
        with f.when(f.value("icmp sgt i64 %after, 0")), f.loop("%after") as t:
            row = self._row_of_panel(f, f.value(f"add i64 {steps}, {t}"))
            self._store(f, "zeroinitializer", row, kept)

    def _line_of_halves(self, f: Function, index: str, mask: str) -> str:
        """The halves of all lines at one step of k, as words."""
        place = self._at(f, "%in", f.value(f"mul i64 {index}, %step"))
        halves = self._masked_halves(f, place, self.lanes, mask)
        return f.value(f"zext <{self.lanes} x i16> {halves} to <{self.lanes} x i32>")

    def _masked_halves(self, f: Function, place: str, count: int, mask: str) -> str:
        kind, flags = f"<{count} x i16>", f"<{count} x i1>"
        name = f"@llvm.masked.load.v{count}i16.p0"
        self.declarations.add(f"declare {kind} {name}(ptr, i32, {flags}, {kind})")
        return f.value(
            f"call {kind} {name}(ptr {place}, i32 1, {flags} {mask}, {kind} zeroinitializer)"
        )

    def _pack_along(self, f: Function, kept: str) -> None:
        """Each line lies in one piece, and so do its pairs: squares of them are transposed."""
        last = f.value("sub i64 %lines, 1")
        double = 2 * self.lanes
        wide = type(self)(self.dtype, self.tiles, self.declarations, double)
        with self._blocks(f, "%k", str(double)) as (t, length):
            real = wide._lanes_below(f, length)
            column = self._at(f, "%in", f.value(f"mul i64 {t}, 2"))
            rows = []
            for i in range(self.lanes):
                number = self._smaller(f, str(i), last)
                place = self._at(f, column, f.value(f"mul i64 {number}, %line"))
                halves = self._masked_halves(f, place, double, real)
                rows.append(f.value(f"bitcast <{double} x i16> {halves} to {self.vector}"))
            first = f.value(f"lshr i64 {t}, 1")
            for j, values in enumerate(self._transposed(f, rows)):
                row = self._row_of_panel(f, f.value(f"add i64 {first}, {j}"))
                self._store(f, values, row, kept)
