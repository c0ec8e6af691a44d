"""LLVM assembly of products whose right factor is gathered: convolutions as matrix products.

Element (t, j) of the right factor lies at `b + rows[t] + columns[j] * size`: for a convolution,
`rows` are the places of the kernel's elements in an image and `columns` those of its windows (or
the other way round, for the gradient of the kernel).  The columns of windows are never written to
memory: they are gathered while the panels of b are packed.

A piece of work is a list of products, done one after the other, so that they may add up in one
result.  An image that needs a border of zeros is copied into the workspace first.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..text.assembly import Function
from .gemm_text import _SMALL_PANEL_LANES, ARGUMENTS, UNROLL, Tiles, _Product, _type_of

PIECE = ("products", "count", "border")
# Sizes and strides in bytes of an image (channels, planes, lines, bytes of a line) and of its copy.
BORDER = (
    "channels", "planes", "lines", "bytes", "channel_step", "plane_step", "line_step",
    "wide_channel_step", "wide_plane_step", "wide_line_step", "first", "total",
)  # fmt: skip
_COPY_AT = 768 * 1024  # in the workspace, after the panels


def module_text(tiles: Tiles, dtype: str) -> str:
    """The module of one dtype: `gathered_piece(piece, workspace)`."""
    declarations: set[str] = set()
    parts = list(_Gathered(dtype, tiles, declarations).texts())
    return "\n".join([*sorted(declarations), *parts])


def room_for_copy(workspace_bytes: int) -> int:
    """The largest image with its border, in bytes."""
    return workspace_bytes - _COPY_AT


class _Gathered(_Product):
    """As a product of two matrices, but for the panels of b."""

    def texts(self) -> Iterator[str]:
        narrow = min(self.lanes, _SMALL_PANEL_LANES)
        yield _Product(self.dtype, self.tiles, self.declarations, narrow)._pack()
        yield self._gather()
        yield from self._all_tiles()
        yield self._gemm(narrow)
        yield self._copy_into_border()
        yield self._list_of_products()

    # ---- the panels of b -----------------------------------------------------------------------

    def _right_panels(
        self, f: Function, p: str, j: str, columns: str, depths: tuple[str, str]
    ) -> tuple[str, str]:
        rows = self._at(f, f.value("inttoptr i64 %b_row to ptr"), f.value(f"mul i64 {p}, 8"))
        places = self._at(f, f.value("inttoptr i64 %b_column to ptr"), f.value(f"mul i64 {j}, 4"))
        with self._blocks(f, columns, str(self.lanes)) as (group, real):
            to = self._at(f, "%b_panels", f.value(f"mul i64 {group}, {self.size}"))
            begin = self._at(f, places, f.value(f"mul i64 {group}, 4"))
            f.do(
                f"call void @gather_{self.dtype}(ptr {to}, ptr %b, ptr {rows}, ptr {begin}, "
                f"i64 {real}, i64 {depths[0]})"
            )
        return "%b_panels", "%b"

    def _lines_ahead(self, f: Function, i: str, ahead: str) -> tuple[str, str]:
        return ahead, "0"  # images are small: what is wanted next is near already

    def _gather(self) -> str:
        """Up to one vector of columns of b, `depth` rows of it, into a panel.

        Windows lie side by side in memory along a line of the image, so a vector of them is one
        run, or two where a line ends.  Elsewhere the rows of b come in runs, and squares of them
        are transposed; what is scattered both ways is gathered element by element.
        """
        f = self._function()
        turn = f.alloca("i64")
        break_at, later = self._first_break(f, turn)
        beside, apart, done = (f.block_name(n) for n in ("beside", "apart", "gathered"))
        f.do(f"br i1 {self._is_one_run(f, break_at, later)}, label %{beside}, label %{apart}")
        f.start(beside)
        self._gather_runs(f, break_at, later)
        f.do(f"br label %{done}")
        f.start(apart)
        self._gather_apart(f, turn)
        f.do(f"br label %{done}")
        f.start(done)
        with f.loop(str(UNROLL - 1)) as t:  # zeros up to a multiple of UNROLL, or a few more
            row = self._panel_row(f, f.value(f"add i64 %depth, {t}"))
            f.do(f"store {self.vector} zeroinitializer, ptr {row}, align 4")
        return f.text(
            f"internal void @gather_{self.dtype}(ptr noalias %out, ptr noalias %in, "
            "ptr noalias %rows, ptr noalias %places, i64 %lines, i64 %depth) noinline"
        )

    def _place(self, f: Function, number: str) -> str:
        """The place of a column, in elements, as i64."""
        at = self._at(f, "%places", f.value(f"mul i64 {number}, 4"))
        return f.value(f"sext i32 {f.value(f'load i32, ptr {at}, align 4')} to i64")

    def _first_break(self, f: Function, turn: str) -> tuple[str, str]:
        """How many columns lie side by side with the first, and where the next one would begin.

        The second number is the place of the column after the break, less its number: seen from
        there, the columns behind the break lie at their own numbers again.
        """
        head, more, over = (f.block_name(n) for n in ("scan", "more", "scanned"))
        first = self._place(f, "0")
        f.do(f"store i64 1, ptr {turn}")
        f.do(f"br label %{head}")
        f.start(head)
        i = f.value(f"load i64, ptr {turn}")
        f.do(f"br i1 {f.value(f'icmp slt i64 {i}, %lines')}, label %{more}, label %{over}")
        f.start(more)
        straight = f.value(f"icmp eq i64 {self._place(f, i)}, {f.value(f'add i64 {first}, {i}')}")
        f.do(f"store i64 {f.value(f'add i64 {i}, 1')}, ptr {turn}")
        again, stop = f.block_name("again"), f.block_name("stop")
        f.do(f"br i1 {straight}, label %{again}, label %{stop}")
        f.start(again)
        f.do(f"br label %{head}")
        f.start(stop)
        f.do(f"store i64 {i}, ptr {turn}")
        f.do(f"br label %{over}")
        f.start(over)
        break_at = f.value(f"load i64, ptr {turn}")
        known = self._smaller(f, break_at, f.value("sub i64 %lines, 1"))
        return break_at, f.value(f"sub i64 {self._place(f, known)}, {known}")

    def _is_one_run(self, f: Function, break_at: str, later: str) -> str:
        """Whether all columns behind the break lie side by side again."""
        last = f.value("sub i64 %lines, 1")
        ends = f.value(f"icmp eq i64 {self._place(f, last)}, {f.value(f'add i64 {later}, {last}')}")
        whole = f.value(f"icmp eq i64 {break_at}, %lines")
        return f.value(f"or i1 {whole}, {ends}")

    def _gather_runs(self, f: Function, break_at: str, later: str) -> None:
        """Two runs of columns: the lanes before the break, and those behind it."""
        left = self._lanes_below(f, break_at)
        every = self._lanes_below(f, "%lines")
        right = f.value(f"xor {self.mask} {left}, {every}")
        starts = [
            f.value(f"mul i64 {place}, {self.size}") for place in (self._place(f, "0"), later)
        ]
        with f.loop("%depth") as t:
            row = self._row_start(f, t)
            values = self._load(f, self._at(f, row, starts[0]), left)
            rest = self._load(f, self._at(f, row, starts[1]), right)
            both = f.value(
                f"select {self.mask} {left}, {self.vector} {values}, {self.vector} {rest}"
            )
            f.do(f"store {self.vector} {both}, ptr {self._panel_row(f, t)}, align 4")

    def _gather_apart(self, f: Function, turn: str) -> None:
        """Runs of rows as transposed squares, single rows by gathering."""
        head, square, single, check, over = (
            f.block_name(n) for n in ("rows", "square", "single", "next", "all_rows")
        )
        f.do(f"store i64 0, ptr {turn}")
        f.do(f"br label %{head}")
        f.start(head)
        t = f.value(f"load i64, ptr {turn}")
        run = self._run_of_rows(f, t)
        long = f.value(f"icmp sge i64 {run}, {self.lanes // 2}")
        f.do(f"br i1 {long}, label %{square}, label %{single}")
        f.start(square)
        self._transposed_square(f, t, run)
        f.do(f"store i64 {f.value(f'add i64 {t}, {run}')}, ptr {turn}")
        f.do(f"br label %{check}")
        f.start(single)
        self._gathered_row(f, t)
        f.do(f"store i64 {f.value(f'add i64 {t}, 1')}, ptr {turn}")
        f.do(f"br label %{check}")
        f.start(check)
        following = f.value(f"load i64, ptr {turn}")
        f.do(f"br i1 {f.value(f'icmp slt i64 {following}, %depth')}, label %{head}, label %{over}")
        f.start(over)

    def _run_of_rows(self, f: Function, t: str) -> str:
        """How many of the next rows (a vector at most) follow each other, if the last of them
        says so; else half as many, if that one does; else 1."""
        left = f.value(f"sub i64 %depth, {t}")
        first = self._row_offset(f, t)
        found = "1"
        for wanted in (self.lanes // 2, self.lanes):
            length = self._smaller(f, left, str(wanted))
            last = self._row_offset(f, f.value(f"add i64 {t}, {f.value(f'sub i64 {length}, 1')}"))
            span = f.value(f"sub i64 {last}, {first}")
            steps = f.value(f"mul i64 {f.value(f'sub i64 {length}, 1')}, {self.size}")
            fits = f.value(f"icmp eq i64 {span}, {steps}")
            found = f.value(f"select i1 {fits}, i64 {length}, i64 {found}")
        return found

    def _transposed_square(self, f: Function, t: str, run: str) -> None:
        mask = self._lanes_below(f, run)
        start = self._row_start(f, t)
        last = f.value("sub i64 %lines, 1")
        lines = []
        for lane in range(self.lanes):
            place = self._place(f, self._smaller(f, str(lane), last))
            at = self._at(f, start, f.value(f"mul i64 {place}, {self.size}"))
            lines.append(self._load(f, at, mask))
        # Rows behind the run are written again by what follows, or lie behind the panel's end.
        for j, values in enumerate(self._transposed(f, lines)):
            row = self._panel_row(f, f.value(f"add i64 {t}, {j}"))
            f.do(f"store {self.vector} {values}, ptr {row}, align 4")

    def _gathered_row(self, f: Function, t: str) -> None:
        real = self._lanes_below(f, "%lines")
        numbers, pointers = f"<{self.lanes} x i32>", f"<{self.lanes} x ptr>"
        load = f"@llvm.masked.load.v{self.lanes}i32.p0"
        gather = f"@llvm.masked.gather.{self.suffix}.v{self.lanes}p0"
        self.declarations |= {
            f"declare {numbers} {load}(ptr, i32, {self.mask}, {numbers})",
            f"declare {self.vector} {gather}({pointers}, i32, {self.mask}, {self.vector})",
        }
        places = f.value(
            f"call {numbers} {load}(ptr %places, i32 4, {self.mask} {real}, "
            f"{numbers} zeroinitializer)"
        )
        start = self._row_start(f, t)
        at = f.value(f"getelementptr {self.scalar}, ptr {start}, {numbers} {places}")
        values = f.value(
            f"call {self.vector} {gather}({pointers} {at}, i32 4, {self.mask} {real}, "
            f"{self.vector} zeroinitializer)"
        )
        f.do(f"store {self.vector} {values}, ptr {self._panel_row(f, t)}, align 4")

    def _panel_row(self, f: Function, t: str) -> str:
        return self._at(f, "%out", f.value(f"mul i64 {t}, {self.columns * self.size}"))

    def _row_offset(self, f: Function, t: str) -> str:
        """Bytes from the beginning of an image to what a row of b begins with."""
        return f.value(f"load i64, ptr {self._at(f, '%rows', f.value(f'mul i64 {t}, 8'))}")

    def _row_start(self, f: Function, t: str) -> str:
        return self._at(f, "%in", self._row_offset(f, t))

    # ---- pieces --------------------------------------------------------------------------------

    def _fields(self, f: Function, base: str, names: tuple[str, ...]) -> dict[str, str]:
        """The 8-byte numbers of a table in memory by name."""
        return {
            name: f.value(f"load i64, ptr {self._at(f, base, str(8 * i))}")
            for i, name in enumerate(names)
        }

    def _copy_into_border(self) -> str:
        """The lines of an image into the middle of a larger one."""
        f = self._function()
        self.declarations.add("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")  # pyright: ignore[reportAttributeAccessIssue]
        g = self._fields(f, "%border", BORDER)
        middle = self._at(f, "%out", g["first"])
        with f.loop(g["channels"]) as c:
            source = self._at(f, "%in", f.value(f"mul i64 {c}, {g['channel_step']}"))
            target = self._at(f, middle, f.value(f"mul i64 {c}, {g['wide_channel_step']}"))
            with f.loop(g["planes"]) as d:
                plane = self._at(f, source, f.value(f"mul i64 {d}, {g['plane_step']}"))
                to = self._at(f, target, f.value(f"mul i64 {d}, {g['wide_plane_step']}"))
                with f.loop(g["lines"]) as i:
                    line = self._at(f, plane, f.value(f"mul i64 {i}, {g['line_step']}"))
                    place = self._at(f, to, f.value(f"mul i64 {i}, {g['wide_line_step']}"))
                    f.do(
                        f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {line}, "
                        f"i64 {g['bytes']}, i1 false)"
                    )
        return f.text(
            "internal void @copy_into_border(ptr noalias %out, ptr noalias %in, "
            "ptr noalias %border) noinline"
        )

    def _list_of_products(self) -> str:
        f = self._function()
        self.declarations.add("declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)")  # pyright: ignore[reportAttributeAccessIssue]
        piece = self._fields(f, "%piece", PIECE)
        products = f.value(f"inttoptr i64 {piece['products']} to ptr")
        border = f.value(f"inttoptr i64 {piece['border']} to ptr")
        bordered = f.value(f"icmp ne i64 {piece['border']}, 0")
        copy = self._at(f, "%workspace", str(_COPY_AT))
        with f.when(bordered):  # the lines of one image overwrite those of the one before
            total = self._fields(f, border, BORDER)["total"]
            f.do(f"call void @llvm.memset.p0.i64(ptr {copy}, i8 0, i64 {total}, i1 false)")
        with f.loop(piece["count"]) as i:
            at = self._at(f, products, f.value(f"mul i64 {i}, {8 * len(ARGUMENTS)}"))
            values = {
                name: f.value(f"load {_type_of(name)}, ptr {self._at(f, at, str(8 * n))}")
                for n, name in enumerate(ARGUMENTS)
            }
            with f.when(bordered):
                f.do(f"call void @copy_into_border(ptr {copy}, ptr {values['b']}, ptr {border})")
            values["b"] = f.value(f"select i1 {bordered}, ptr {copy}, ptr {values['b']}")
            given = [f"{_type_of(name)} {value}" for name, value in values.items()]
            panels = f"ptr %workspace, ptr {self._panel_of_b(f)}"
            f.do(f"call void @gemm({', '.join(given)}, {panels})")
        return f.text("void @gathered_piece(ptr %piece, ptr %workspace)")
