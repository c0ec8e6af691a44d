"""LLVM assembly of depthwise convolutions: a vector holds one pixel of as many channels as it has
lanes, so that strides, borders and widths of images cost nothing inside of the loops.

Images lie in memory channel by channel.  A strip of lines of one block of channels is transposed
in squares of vectors and laid into the middle of zeros (a frame, in the workspace); elements of
the kernel are vectors too.  One item of work is one strip of one image and one block; the gradient
of the kernels adds up many items in their order, in double precision from line to line.
"""

from __future__ import annotations

from ..text.assembly import Function
from .panels import Panels, Tiles

ITEM = (
    "x", "x_plane", "y", "y_plane", "w", "bias", "channels", "width", "lines", "skip", "rows",
    "wide", "side", "seen", "high", "across", "row_step", "column_step", "row_apart",
    "column_apart", "flat", "frame", "out",
)  # fmt: skip
LIST = ("items", "count", "sums")
MOST_TAPS = 25  # whose sums have a register each
FLAT_AT = 64 * 1024  # in the workspace, after sums


def module_text(tiles: Tiles, dtype: str, kernel: tuple[int, ...]) -> str:
    """The module for one dtype and size of kernels: `forward`, `weights` and `images`."""
    declarations: set[str] = set()
    writer = _Depthwise(dtype, tiles, declarations, kernel)
    parts = [
        writer.gather_strip(), writer.scatter_strip(), writer.forward(), writer.weights(),
        writer.images(),
    ]  # fmt: skip
    return "\n".join([*sorted(declarations), *parts])


class _Depthwise(Panels):
    def __init__(
        self, dtype: str, tiles: Tiles, declarations: set[str], kernel: tuple[int, ...]
    ) -> None:
        super().__init__(dtype, tiles, declarations)
        self.kernel = kernel
        self.taps = kernel[0] * kernel[1]
        self.bytes = self.lanes * self.size  # of a pixel
        self.wide_vector = f"<{self.lanes} x double>"
        declarations |= {
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        }

    # ---- small pieces --------------------------------------------------------------------------

    def _fields(self, f: Function, base: str, names: tuple[str, ...]) -> dict[str, str]:
        return {
            name: f.value(f"load i64, ptr {self._at(f, base, str(8 * i))}")
            for i, name in enumerate(names)
        }

    def _pointer(self, f: Function, number: str) -> str:
        return f.value(f"inttoptr i64 {number} to ptr")

    def _times(self, f: Function, a: str, b: str | int) -> str:
        return f.value(f"mul i64 {a}, {b}")

    def _vector_at(self, f: Function, base: str, offset: str) -> str:
        return f.value(f"load {self.vector}, ptr {self._at(f, base, offset)}, align {self.size}")

    def _put(self, f: Function, value: str, base: str, offset: str) -> None:
        f.do(f"store {self.vector} {value}, ptr {self._at(f, base, offset)}, align {self.size}")

    def _fma(self, f: Function, a: str, b: str, c: str) -> str:
        name = f"@llvm.fma.{self.suffix}"
        v = self.vector
        self.declarations.add(f"declare {v} {name}({v}, {v}, {v})")
        return f.value(f"call {v} {name}({v} {a}, {v} {b}, {v} {c})")

    def _copy(self, f: Function, to: str, source: str, count: str) -> None:
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {count}, i1 false)")

    def _tap_offsets(self, f: Function, p: dict[str, str]) -> list[str]:
        """Bytes in the frame from the beginning of a window to each of its elements."""
        down = self._times(f, self._times(f, p["row_apart"], p["wide"]), self.bytes)
        right = self._times(f, p["column_apart"], self.bytes)
        rows = [self._times(f, down, a) for a in range(self.kernel[0])]
        columns = [self._times(f, right, b) for b in range(self.kernel[1])]
        return [f.value(f"add i64 {r}, {c}") for r in rows for c in columns]

    def _kernel(self, f: Function, p: dict[str, str]) -> list[str]:
        w = self._pointer(f, p["w"])
        return [self._vector_at(f, w, str(t * self.bytes)) for t in range(self.taps)]

    # ---- between images and frames -------------------------------------------------------------

    def gather_strip(self) -> str:
        """`count` pixels of some channels, which lie `plane` bytes apart, as vectors."""
        f = self._function()
        last = f.value("sub i64 %channels, 1")
        with self._blocks(f, "%count", str(self.lanes)) as (start, length):
            real = self._lanes_below(f, length)
            column = self._at(f, "%in", self._times(f, start, self.size))
            rows = []
            for lane in range(self.lanes):
                plane = self._times(f, self._smaller(f, str(lane), last), "%plane")
                rows.append(self._load(f, self._at(f, column, plane), real))
            to = self._at(f, "%out", self._times(f, start, self.bytes))
            for j, values in enumerate(self._transposed(f, rows)):
                self._put(f, values, to, str(j * self.bytes))
        return f.text(
            "internal void @gather_strip(ptr noalias %out, ptr noalias %in, i64 %plane, "
            "i64 %channels, i64 %count) noinline"
        )

    def scatter_strip(self) -> str:
        """The opposite: vectors into the planes of the channels that there are."""
        f = self._function()
        last = f.value("sub i64 %channels, 1")
        with self._blocks(f, "%count", str(self.lanes)) as (start, length):
            source = self._at(f, "%in", self._times(f, start, self.bytes))
            rows = [self._vector_at(f, source, str(j * self.bytes)) for j in range(self.lanes)]
            column = self._at(f, "%out", self._times(f, start, self.size))
            for lane, values in enumerate(self._transposed(f, rows)):
                there = f.value(f"icmp slt i64 {lane}, %channels")
                count = f.value(f"select i1 {there}, i64 {length}, i64 0")
                plane = self._times(f, self._smaller(f, str(lane), last), "%plane")
                self._store(f, values, self._at(f, column, plane), self._lanes_below(f, count))
        return f.text(
            "internal void @scatter_strip(ptr noalias %out, ptr noalias %in, i64 %plane, "
            "i64 %channels, i64 %count) noinline"
        )

    def _gather(self, f: Function, to: str, source: str, p: dict[str, str], *names: str) -> None:
        plane, count = names
        f.do(
            f"call void @gather_strip(ptr {to}, ptr {source}, i64 {p[plane]}, "
            f"i64 {p['channels']}, i64 {count})"
        )

    def _clear_frame(self, f: Function, frame: str, p: dict[str, str]) -> None:
        size = self._times(f, self._times(f, p["rows"], p["wide"]), self.bytes)
        f.do(f"call void @llvm.memset.p0.i64(ptr {frame}, i8 0, i64 {size}, i1 false)")

    def _lines_of_frame(self, f: Function, p: dict[str, str], flat: str, frame: str, into: bool):
        """Copy the lines of a strip into the frame, or out of it."""
        with f.when(f.value(f"icmp sgt i64 {p['lines']}, 0")), f.loop(p["lines"]) as r:
            line = self._at(f, flat, self._times(f, self._times(f, r, p["width"]), self.bytes))
            row = self._times(f, f.value(f"add i64 {r}, {p['skip']}"), p["wide"])
            place = self._times(f, f.value(f"add i64 {row}, {p['side']}"), self.bytes)
            there = self._at(f, frame, place)
            count = self._times(f, p["seen"], self.bytes)
            self._copy(f, *((there, line) if into else (line, there)), count)

    def _places(self, f: Function, p: dict[str, str]) -> tuple[str, str, str]:
        """Where pixels, the frame and results lie in the workspace."""
        return tuple(self._at(f, "%workspace", p[name]) for name in ("flat", "frame", "out"))  # pyright: ignore[reportReturnType]

    def _fill_frame(self, f: Function, p: dict[str, str], flat: str, frame: str) -> None:
        with f.when(f.value(f"icmp sgt i64 {p['lines']}, 0")):
            count = self._times(f, p["lines"], p["width"])
            self._gather(f, flat, self._pointer(f, p["x"]), p, "x_plane", count)
        self._clear_frame(f, frame, p)
        self._lines_of_frame(f, p, flat, frame, into=True)

    # ---- jobs ----------------------------------------------------------------------------------

    def forward(self) -> str:
        """One item: a strip of a result."""
        f = self._function()
        p = self._fields(f, "%piece", ITEM)
        flat, frame, out = self._places(f, p)
        self._fill_frame(f, p, flat, frame)
        kernel, offsets = self._kernel(f, p), self._tap_offsets(f, p)
        level = self._vector_at(f, self._pointer(f, p["bias"]), "0")
        down = self._times(f, self._times(f, p["row_step"], p["wide"]), self.bytes)
        right = self._times(f, p["column_step"], self.bytes)
        with f.loop(p["high"]) as i:
            line = self._at(f, frame, self._times(f, i, down))
            into = self._at(f, out, self._times(f, self._times(f, i, p["across"]), self.bytes))
            with f.loop(p["across"]) as j:
                window = self._at(f, line, self._times(f, j, right))
                total = level
                for element, offset in zip(kernel, offsets, strict=True):
                    total = self._fma(f, self._vector_at(f, window, offset), element, total)
                self._put(f, total, into, self._times(f, j, self.bytes))
        count = self._times(f, p["high"], p["across"])
        f.do(
            f"call void @scatter_strip(ptr {self._pointer(f, p['y'])}, ptr {out}, "
            f"i64 {p['y_plane']}, i64 {p['channels']}, i64 {count})"
        )
        return f.text("void @forward(ptr %piece, ptr %workspace)")

    def weights(self) -> str:
        """A list of items that add up: elements of kernels times gradients of results."""
        f = self._function()
        given = self._fields(f, "%piece", LIST)
        items = self._pointer(f, given["items"])
        wide_bytes = 8 * self.lanes
        f.do(
            f"call void @llvm.memset.p0.i64(ptr %workspace, i8 0, i64 {self.taps * wide_bytes}, "
            "i1 false)"
        )
        with f.loop(given["count"]) as n:
            p = self._fields(f, self._at(f, items, self._times(f, n, 8 * len(ITEM))), ITEM)
            flat, frame, pulled = self._places(f, p)
            self._fill_frame(f, p, flat, frame)
            count = self._times(f, p["high"], p["across"])
            self._gather(f, pulled, self._pointer(f, p["y"]), p, "y_plane", count)
            offsets = self._tap_offsets(f, p)
            down = self._times(f, self._times(f, p["row_step"], p["wide"]), self.bytes)
            right = self._times(f, p["column_step"], self.bytes)
            with f.loop(p["high"]) as i:
                line = self._at(f, frame, self._times(f, i, down))
                of = self._times(f, self._times(f, i, p["across"]), self.bytes)
                self._add_line(f, line, self._at(f, pulled, of), p["across"], right, offsets)
        out = self._pointer(f, given["sums"])
        for t in range(self.taps):
            at = self._at(f, "%workspace", str(t * wide_bytes))
            total = f.value(f"load {self.wide_vector}, ptr {at}, align 8")
            if self.dtype == "f32":
                total = f.value(f"fptrunc {self.wide_vector} {total} to {self.vector}")
            self._put(f, total, out, str(t * self.bytes))
        return f.text("void @weights(ptr %piece, ptr %workspace)")

    def _add_line(
        self, f: Function, line: str, pulled: str, across: str, right: str, offsets: list[str]
    ) -> None:
        """The sums of one line of results, added to those in the workspace."""
        head, done, before = f.block_name("pixels"), f.block_name("summed"), f.label
        index, following = f.fresh(), f.fresh()
        sums, grown = [f.fresh() for _ in offsets], []
        f.do(f"br label %{head}")
        f.start(head)
        slot = len(f.lines)
        f.lines += [""] * (1 + len(sums))
        window = self._at(f, line, self._times(f, index, right))
        g = self._vector_at(f, pulled, self._times(f, index, self.bytes))
        for total, offset in zip(sums, offsets, strict=True):
            grown.append(self._fma(f, self._vector_at(f, window, offset), g, total))
        f.lines[slot] = f"  {index} = phi i64 [0, %{before}], [{following}, %{head}]"
        for k, (total, after) in enumerate(zip(sums, grown, strict=True)):
            both = f"[zeroinitializer, %{before}], [{after}, %{head}]"
            f.lines[slot + 1 + k] = f"  {total} = phi {self.vector} {both}"
        f.do(f"{following} = add i64 {index}, 1")
        again = f.value(f"icmp slt i64 {following}, {across}")
        f.do(f"br i1 {again}, label %{head}, label %{done}")
        f.start(done)
        for t, total in enumerate(grown):
            if self.dtype == "f32":
                total = f.value(f"fpext {self.vector} {total} to {self.wide_vector}")
            at = self._at(f, "%workspace", str(t * 8 * self.lanes))
            old = f.value(f"load {self.wide_vector}, ptr {at}, align 8")
            new = f.value(f"fadd {self.wide_vector} {old}, {total}")
            f.do(f"store {self.wide_vector} {new}, ptr {at}, align 8")

    def images(self) -> str:
        """One item: the gradient of an image, to which every result hands back its share."""
        f = self._function()
        p = self._fields(f, "%piece", ITEM)
        flat, frame, pulled = self._places(f, p)
        count = self._times(f, p["high"], p["across"])
        self._gather(f, pulled, self._pointer(f, p["y"]), p, "y_plane", count)
        self._clear_frame(f, frame, p)
        kernel, offsets = self._kernel(f, p), self._tap_offsets(f, p)
        down = self._times(f, self._times(f, p["row_step"], p["wide"]), self.bytes)
        right = self._times(f, p["column_step"], self.bytes)
        with f.loop(p["high"]) as i:
            line = self._at(f, frame, self._times(f, i, down))
            of = self._at(f, pulled, self._times(f, self._times(f, i, p["across"]), self.bytes))
            with f.loop(p["across"]) as j:
                window = self._at(f, line, self._times(f, j, right))
                g = self._vector_at(f, of, self._times(f, j, self.bytes))
                for element, offset in zip(kernel, offsets, strict=True):
                    old = self._vector_at(f, window, offset)
                    self._put(f, self._fma(f, g, element, old), window, offset)
        self._lines_of_frame(f, p, flat, frame, into=False)
        count = self._times(f, p["lines"], p["width"])
        f.do(
            f"call void @scatter_strip(ptr {self._pointer(f, p['x'])}, ptr {flat}, "
            f"i64 {p['x_plane']}, i64 {p['channels']}, i64 {count})"
        )
        return f.text("void @images(ptr %piece, ptr %workspace)")
