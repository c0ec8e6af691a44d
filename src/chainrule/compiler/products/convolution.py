"""Products with a gathered right factor as a function of arrays: many images at once.

Threads divide rows or columns of results, never sums: these are taken over the images in their
order, so the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np

from ...ops.kernels import fast
from ...ops.locks import keep_through_forks
from ..machine import worker_threads
from ..machine.addresses import address
from .convolution_text import module_text, room_for_copy
from .gemm import DTYPES, ZEROS_AT
from .gemm_text import ARGUMENTS, blocks, cuts

_AT = {name: i for i, name in enumerate(ARGUMENTS)}
_PIECE_BYTES = 24
_LISTS = 4  # lists of products for each thread
# Images with fewer windows than this are multiplied together: the kernels are packed once for all.
_FEW_WINDOWS = 256
_WINDOWS = 512  # of images that are multiplied together
_MOST_LAYOUTS = 512


class Layout(NamedTuple):
    """What a product is apart from where its arrays lie: such a thing is worked out once."""

    table: np.ndarray  # ARGUMENTS of every product, with places counted from the arrays' beginnings
    lists: np.ndarray  # (first product, in bytes from the table; products; border) of each piece
    places: tuple[np.ndarray, np.ndarray]  # rows and columns, as they were given
    pointed: tuple[Any, ...]  # what the table has the addresses of
    together: int  # images in one product
    result: tuple[int, ...] | None  # where their results lie side by side at first


class Gathered:
    """Calls the machine code, which is made for a dtype when it is first needed."""

    def __init__(self, tiles: Any, load_module: Any) -> None:
        self._tiles = tiles
        self._load = load_module
        self._workers = worker_threads.shared()
        self._lock = keep_through_forks(threading.Lock(), 1)
        self._functions: dict[np.dtype, int | None] = {}
        self._compiled: list[Any] = []  # owns the code
        self._layouts: dict[tuple[Any, ...], Layout] = {}

    def __call__(
        self,
        a: np.ndarray,
        images: np.ndarray,
        rows: np.ndarray,
        columns: np.ndarray,
        c: np.ndarray,
        border: tuple[int, ...] | None = None,
        bias: np.ndarray | None = None,
    ) -> bool:
        """c[i] = a[i] @ gathered(images[i]) (+ bias by row); False if this is not for it.

        a is one matrix for all images or one each; a matrix c takes the sum over the images.
        `rows` holds bytes (int64), `columns` elements (int32).
        """
        if border is not None and border[-1] > room_for_copy(worker_threads.WORKSPACE_BYTES):
            return False
        function = self._function(a.dtype)
        if function is None or a.itemsize not in a.strides[-2:]:
            return False
        self._multiply(
            function, self._layout(a, images, rows, columns, c, border), a, images, c, bias
        )
        return True

    def _multiply(
        self, function: int, layout: Layout, a: np.ndarray, images: np.ndarray, c: np.ndarray,
        bias: np.ndarray | None,
    ) -> None:  # fmt: skip
        if c.ndim == 2 and layout.together > 1:
            a = _side_by_side(a, layout.together)
        into = c if layout.result is None else np.empty(layout.result, c.dtype)
        self._run(function, layout, a, images, into, bias)
        if layout.result is not None:
            height, count, together, windows = layout.result
            number = count * together
            _swap(c.reshape(1, number, height, windows), into.reshape(1, height, number, windows))

    def _run(
        self, function: int, layout: Layout, a: np.ndarray, images: np.ndarray, c: np.ndarray,
        bias: np.ndarray | None,
    ) -> None:  # fmt: skip
        table = layout.table.copy()
        table[:, _AT["a"]] += address(a)
        table[:, _AT["b"]] += address(images)
        table[:, _AT["c"]] += address(c)
        if bias is not None:
            steps = table[:, _AT["row_bias"]] * bias.strides[0]  # it has the number of a row
            table[:, _AT["row_bias"]] = steps + address(bias)
            table[:, _AT["row_bias_step"]] = bias.strides[0]
        else:
            table[:, _AT["row_bias"]] = ZEROS_AT
        pieces = layout.lists.copy()
        pieces[:, 0] += address(table)
        threads = worker_threads.thread_count()
        self._workers.run(function, address(pieces), _PIECE_BYTES, len(pieces), threads)  # pyright: ignore[reportOptionalMemberAccess]

    def _layout(
        self, a: np.ndarray, images: np.ndarray, rows: np.ndarray, columns: np.ndarray,
        c: np.ndarray, border: tuple[int, ...] | None,
    ) -> Layout:  # fmt: skip
        threads = worker_threads.thread_count()
        key = (a.dtype.char, a.shape, a.strides, images.shape, images.strides, c.shape, c.strides,
               id(rows), id(columns), border, threads)  # fmt: skip
        found = self._layouts.get(key)
        if found is None or found.places[0] is not rows or found.places[1] is not columns:
            if len(self._layouts) >= _MOST_LAYOUTS:
                self._layouts.clear()
            found = self._new_layout(a, images, rows, columns, c, border, threads)
            self._layouts[key] = found
        return found

    def _function(self, dtype: np.dtype) -> int | None:
        if dtype not in DTYPES:
            return None
        if dtype not in self._functions:
            with self._lock:
                if dtype not in self._functions:
                    kind = DTYPES[dtype]
                    compiled = self._load(
                        f"gathered {kind} {self._tiles}", lambda: module_text(self._tiles, kind)
                    )
                    self._compiled.append(compiled)
                    function = worker_threads.address_of(compiled.function("gathered_piece", 2))
                    right = self._convolves(function, dtype)
                    self._functions[dtype] = function if right else None
        return self._functions[dtype]

    def _convolves(self, function: int, dtype: np.dtype) -> bool:
        """Whether windows of a small image, in runs and scattered, give what NumPy gives."""
        random = np.random.Generator(np.random.PCG64(0))
        images = random.uniform(-1, 1, (2, 400)).astype(dtype)
        a = random.uniform(-1, 1, (9, 45)).astype(dtype)
        bound = 45 * np.finfo(dtype).eps * 10
        for near in (np.r_[0:23, 40:61], np.arange(44) * 5):
            places, offsets = near.astype(np.int32), np.r_[0:30, 50:80:2].astype(np.int64)
            c = np.full((2, 9, len(places)), np.nan, dtype)
            rows = offsets * dtype.itemsize
            layout = self._new_layout(a, images, rows, places, c, None, 1)
            self._multiply(function, layout, a, images, c, None)
            expected = a @ images[:, offsets[:, None] + near]
            if not np.abs(c - expected).max() < bound:
                return False
        return True

    def _new_layout(
        self, a: np.ndarray, images: np.ndarray, rows: np.ndarray, columns: np.ndarray,
        c: np.ndarray, border: tuple[int, ...] | None, threads: int,
    ) -> Layout:  # fmt: skip
        given, sums = (rows, columns), c.ndim == 2
        together = images_together(images, len(rows) if sums else len(columns), border)
        result, c_strides, a_shape, a_strides = None, c.strides, a.shape, a.strides
        step_c = c_strides[0]
        if together > 1:
            border, step = _border_of_many(images, border, together)
            number = np.arange(together)[:, None]
            count = len(images) // together
            if sums:
                rows = (rows + step * number).ravel()
                a_shape = (count, a.shape[1], together * a.shape[2])
                a_strides = tuple(a.itemsize * n for n in (a_shape[1] * a_shape[2], a_shape[2], 1))
            else:
                columns = columns + np.int32(step // images.itemsize) * number.astype(np.int32)
                result = (a.shape[0], count, *columns.shape)
                columns = columns.ravel()
                step_c = a.itemsize * len(columns)
                c_strides = (step_c * count, a.itemsize)
        (m, k), size = a_shape[-2:], a.itemsize
        depth, block = blocks(k, size, self._tiles)
        one = (
            0, *a_strides[-2:], 0, address(rows), address(columns), 0, c_strides[-2], m,
            len(columns), k, block, depth, ZEROS_AT, 0, 0, 0, 0,
        )  # fmt: skip
        table = np.tile(np.array(one, np.int64), (len(images) // together, 1))
        number = np.arange(len(table))
        table[:, _AT["b"]] = number * images.strides[0] * together
        table[:, _AT["a"]] = number * a_strides[0] if len(a_shape) == 3 else 0
        if sums:
            table[1:, _AT["accumulate"]] = 1
            table, lists = self._cut_columns(table, size, threads)
        else:
            table[:, _AT["c"]] = number * step_c
            if result is not None and threads > 1 and len(table) < 2 * threads:
                table = self._cut_rows(table, m, -(-2 * threads // len(table)))
            lists = _lists(len(table), _LISTS * threads)
        lists[:, 0] *= table.strides[0]
        frame = None if border is None else np.array(border, np.int64)
        lists[:, 2] = 0 if frame is None else address(frame)
        return Layout(table, lists, given, (rows, columns, frame), together, result)

    def _cut_rows(self, table: np.ndarray, height: int, count: int) -> np.ndarray:
        """Each product as several with some of its rows, which do not wait for each other."""
        parts = []
        for start, length in cuts(height, count, 4 * self._tiles.height):
            part = table.copy()
            part[:, _AT["a"]] += start * part[:, _AT["a_row"]]
            part[:, _AT["c"]] += start * part[:, _AT["c_row"]]
            part[:, _AT["row_bias"]] = start
            part[:, _AT["m"]] = length
            parts.append(part)
        return np.concatenate(parts)

    def _cut_columns(
        self, table: np.ndarray, size: int, threads: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Products that add up in one result: threads take some of its columns each."""
        n = int(table[0, _AT["n"]])
        parts = cuts(n, 1 if threads == 1 else 2 * threads, self._tiles.vector_bytes // size)
        tables = np.repeat(table[None], len(parts), 0)
        for part, (start, length) in zip(tables, parts, strict=True):
            part[:, _AT["b_column"]] += 4 * start
            part[:, _AT["c"]] += size * start
            part[:, _AT["n"]] = length
        lists = np.zeros((len(parts), 3), np.int64)
        lists[:, 0] = np.arange(len(parts)) * len(table)
        lists[:, 1] = len(table)
        return tables.reshape(-1, table.shape[1]), lists


def _lists(products: int, most: int) -> np.ndarray:
    """(first product, number of them, nothing) of lists of nearly equal length."""
    count = min(products, most)
    starts = np.array([products * i // count for i in range(count + 1)])
    return np.stack([starts[:-1], np.diff(starts), np.zeros(count, np.int64)], 1)


def images_together(images: np.ndarray, windows: int, border: tuple[int, ...] | None) -> int:
    """How many images are multiplied at a time; it divides their number."""
    most = min(len(images), _WINDOWS // windows)
    if border is not None:
        most = min(most, room_for_copy(worker_threads.WORKSPACE_BYTES) // border[-1])
    if windows >= _FEW_WINDOWS or most < 2 or not images.flags.c_contiguous:
        return 1
    return max(q for q in range(1, most + 1) if len(images) % q == 0)


def _border_of_many(
    images: np.ndarray, border: tuple[int, ...] | None, count: int
) -> tuple[tuple[int, ...] | None, int]:
    """The copy of several images with their borders, and the bytes from one to the next.

    As images follow each other in memory, many are one with more channels.
    """
    if border is None:
        return None, images.strides[0]
    return (count * border[0], *border[1:-1], count * border[-1]), border[-1]


def _side_by_side(a: np.ndarray, together: int) -> np.ndarray:
    """The left factors of images that are multiplied together, as one factor with longer rows."""
    count, height, length = len(a) // together, *a.shape[1:]
    rows = np.empty((count, height, together, length), a.dtype)
    _swap(rows, a.reshape(count, together, height, length))
    return rows.reshape(count, height, together * length)


def _swap(into: np.ndarray, blocks: np.ndarray) -> None:
    """into[:] = blocks with the second and third axis exchanged."""
    turns = into.shape[0] * into.shape[1]
    if fast.swap_blocks(into, blocks, turns) is None:
        into[...] = blocks.swapaxes(1, 2)
