"""Large loops and matrix products of a plan in pieces, which threads share.

How work is cut depends on the sizes and on the number of threads at the time of compiling.  Only
axes along which nothing is summed are cut, so the bits of a result do not depend on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..loops.costs import CUT, LEAST_LOOP_COST, accesses, axis_to_cut, cost
from ..loops.nest import GENERIC_LENGTH, Kernel
from ..products.gemm_text import ARGUMENTS, TILES, blocks, cuts
from ..text.assembly import ITEM_BYTES, Function

LEAST_PRODUCTS = 400_000  # multiplications of small products that may run at the same time
_DOTS_COST = 3  # a multiplication that reads a weight costs as much as so many others
_PER_THREAD = 2  # pieces, so that a late thread costs little


# ---- loops ---------------------------------------------------------------------------------------


def group_pieces(kernels: list[tuple[Kernel, int]], threads: int) -> list[Any] | None:
    """[(number of the kernel, start, length)] for kernels of any length with theirs, the largest
    last, as the threads begin at the end; None if they are not worth sharing."""
    costs = [cost(kernel._replace(space=(length,))) for kernel, length in kernels]
    if threads < 2 or len(kernels) < 2 or sum(costs) < LEAST_LOOP_COST:
        return None
    share = max(sum(costs) / (_PER_THREAD * threads), LEAST_LOOP_COST / 4)
    pieces = []
    for i in sorted(range(len(kernels)), key=costs.__getitem__):
        kernel, length = kernels[i]
        whole = kernel._replace(space=(length,))
        wanted = 1 if axis_to_cut(whole) is None else math.ceil(costs[i] / share)
        pieces += [(i, start, size) for start, size in cuts(length, wanted, GENERIC_LENGTH)]
    return pieces


def kernel_pieces(kernel: Kernel, length: int, threads: int) -> list[Any] | None:
    """[(kernel of a piece, start along the cut axis, axis, length argument)], or None."""
    if threads < 2:
        return None
    generic = kernel.generic()
    whole = kernel._replace(space=(length,)) if generic else kernel
    if cost(whole) < LEAST_LOOP_COST:
        return None
    axis = axis_to_cut(whole)
    if axis is None:
        return None
    inner = axis == len(whole.space) - 1
    pieces = []
    unit = 1 if not inner else GENERIC_LENGTH if generic else CUT
    for start, size in cuts(whole.space[axis], _PER_THREAD * threads, unit):
        space = (*whole.space[:axis], size, *whole.space[axis + 1 :])
        # The code of a one-axis kernel serves every length.
        part = kernel if generic else kernel._replace(space=space)
        pieces.append((part, start, axis, size if inner else length))
    return pieces if len(pieces) > 1 else None


def offsets(kernel: Kernel, axis: int, start: int) -> list[int]:
    """Bytes from the beginning of each argument to a piece that starts there."""
    by_argument = accesses(kernel) or {}
    return [
        by_argument[i].strides[axis] * start * ITEM_BYTES[dtype] if i in by_argument else 0
        for i, dtype in enumerate(kernel.arguments)
    ]


# ---- products ------------------------------------------------------------------------------------


def product_rows(gemm: Any, vector_bytes: int, threads: int) -> list[tuple[int, ...]]:
    """ARGUMENTS of every piece of a batch of large products; pointers as bytes from a, b and c."""
    size, given = ITEM_BYTES[gemm.dtype], ITEM_BYTES[gemm.factors]
    tiles = TILES[vector_bytes]
    m, n, k = gemm.m, gemm.n, gemm.k
    depth, block = blocks(k, size, tiles, size // given)
    batch = list(_batch_offsets(gemm))
    wanted = -(-threads * _PER_THREAD // len(batch)) if len(batch) < threads else 1
    if threads > 1 and len(batch) == 1:
        wanted = threads
    across = n >= m
    unit = tiles.lanes(gemm.dtype) if across else tiles.height
    (a_row, a_column), (b_row, b_column) = gemm.a_strides[-2:], gemm.b_strides[-2:]
    c_row = gemm.c_strides[-2]
    bias_step = (gemm.bias_stride or 0) * size
    rows = []
    for at_a, at_b, at_c in batch:
        for start, length in cuts(n if across else m, wanted, unit):
            if across:
                places, sizes = (at_a, at_b + start * b_column, at_c + start), (m, length)
            else:
                places, sizes = (at_a + start * a_row, at_b, at_c + start * c_row), (length, n)
            a, b, c = places[0] * given, places[1] * given, places[2] * size
            rows.append((
                a, a_row * given, a_column * given, b, b_row * given, b_column * given, c,
                c_row * size, *sizes, k, block, depth, start * bias_step if across else 0,
                bias_step, 0, 0, 0,
            ))  # fmt: skip
    return rows


def worth_sharing(gemms: list[Any], threads: int) -> bool:
    """Whether small products that do not wait for each other should be shared by threads."""
    return threads > 1 and sum(map(_product_cost, gemms)) >= LEAST_PRODUCTS


def product_pieces(gemms: list[Any], target: Any) -> list[tuple[int, Any, tuple[int, ...]]]:
    """[(number of the product, product of a piece, bytes from a, b and c)], the largest last, as
    the threads begin at the end."""
    costs = [_product_cost(g) for g in gemms]
    share = sum(costs) / (_PER_THREAD * target.threads)
    pieces = []
    for i in sorted(range(len(gemms)), key=costs.__getitem__):
        wanted, size = math.ceil(costs[i] / share), ITEM_BYTES[gemms[i].dtype]
        for piece, places in _cut_product(gemms[i], wanted, target):
            pieces.append((i, piece, tuple(x * size for x in places)))
    return pieces


def _product_cost(gemm: Any) -> int:
    work = math.prod(gemm.batch) * gemm.m * gemm.n * gemm.k
    # Few rows read a weight for every few multiplications.
    return _DOTS_COST * work if gemm.dots() else work


def _cut_product(gemm: Any, wanted: int, target: Any) -> Any:
    """(piece, elements from a, b and c); what is summed is never cut."""
    strides = gemm.a_strides, gemm.b_strides, gemm.c_strides
    if wanted < 2:
        yield gemm, (0, 0, 0)
    elif gemm.batch:
        for start, count in cuts(gemm.batch[0], wanted):
            piece = gemm._replace(batch=(count, *gemm.batch[1:]))
            yield piece, tuple(start * s[0] for s in strides)
    elif gemm.n >= wanted * (unit := _columns_at_once(gemm, target)) or gemm.n >= gemm.m:
        for start, count in cuts(gemm.n, wanted, unit):
            yield gemm._replace(n=count), (0, start * gemm.b_strides[-1], start)
    else:
        rows = gemm.a_strides[-2], 0, gemm.c_strides[-2]
        for start, count in cuts(gemm.m, wanted, 8):
            yield gemm._replace(m=count), tuple(start * s for s in rows)


def _columns_at_once(gemm: Any, target: Any) -> int:
    return 16 if gemm.dots() else 2 * target.vector_bytes // ITEM_BYTES[gemm.dtype]


def _batch_offsets(gemm: Any) -> Any:
    """Elements to the matrices of each product of a batch."""
    places = [(0, 0, 0)]
    strides = (gemm.a_strides, gemm.b_strides, gemm.c_strides)
    for axis, count in enumerate(gemm.batch):
        steps = [s[axis] for s in strides]
        places = [
            tuple(p + i * s for p, s in zip(place, steps, strict=True))
            for place in places
            for i in range(count)
        ]
    return places


def pooled_products(name: str, gemms: Any, rows: list[Any], declare: set[str]) -> str:
    """A function that runs the pieces of products of one type in the pool, as one job.

    It takes a, b, c and the bias (null where there is none) of each, the board and the workspace.
    """
    f = Function(declare)
    symbol = f"@chainrule_gemm_{gemms[0].factors}"
    declare |= {
        f"declare void {symbol}(ptr, ptr)",
        "declare void @chainrule_pool_run(ptr, ptr, ptr, i64, i64, ptr)",
        "@no_bias = internal constant [128 x i8] zeroinitializer, align 64",
    }
    width, count = len(ARGUMENTS), sum(map(len, rows))
    table = f.alloca("i64", width * count)
    values = ", ".join(f"i64 {v}" for each in rows for row in each for v in row)
    constant = f"@{name}_pieces = internal constant [{width * count} x i64] [{values}]"
    done = 0
    for i, (gemm, own) in enumerate(zip(gemms, rows, strict=True)):
        bases = {x: f"%{x}{i}" for x in ("a", "b", "c", "bias")} | {"row_bias": "@no_bias"}
        if gemm.bias_stride is None:
            bases["bias"] = "@no_bias"
        with f.loop(str(len(own))) as j:
            first = f.value(f"mul i64 {f.value(f'add i64 {j}, {done}')}, {8 * width}")
            _write_arguments(f, f"@{name}_pieces", table, first, bases)
        done += len(own)
    f.do(
        f"call void @chainrule_pool_run(ptr %board, ptr {symbol}, ptr {table}, i64 {8 * width}, "
        f"i64 {count}, ptr %workspace)"
    )
    given = "".join(f"ptr %{x}{i}, " for i in range(len(gemms)) for x in ("a", "b", "c", "bias"))
    head = f"internal void @{name}({given}ptr %board, ptr %workspace)"
    return constant + "\n" + f.text(f"{head} noinline nounwind")


def _write_arguments(
    f: Function, constants: str, table: str, first: str, bases: dict[str, str]
) -> None:
    """ARGUMENTS of a piece into the table, with addresses where the constants count bytes."""
    _write_row(f, constants, table, first, [bases.get(argument) for argument in ARGUMENTS])


def _write_row(
    f: Function, constants: str, table: str, first: str, bases: list[str | None]
) -> None:
    """A row of words into the table: constants, counted from the base where there is one."""
    source = f.value(f"getelementptr i8, ptr {constants}, i64 {first}")
    target = f.value(f"getelementptr i8, ptr {table}, i64 {first}")
    for position, base in enumerate(bases):
        here = f.value(f"getelementptr i64, ptr {source}, i64 {position}")
        number = f.value(f"load i64, ptr {here}")
        to = f.value(f"getelementptr i64, ptr {target}, i64 {position}")
        if base is None:
            f.do(f"store i64 {number}, ptr {to}")
        else:
            place = f.value(f"getelementptr i8, ptr {base}, i64 {number}")
            f.do(f"store ptr {place}, ptr {to}")


# ---- jobs ----------------------------------------------------------------------------------------


def job_text(name: str, call: Any, declare: set[str]) -> str:
    """A function that runs a job on its table; it takes the views' addresses, in their order, the
    board and the workspace."""
    f = Function(declare)
    symbol = f"@chainrule_job_{call.job}"
    declare |= {
        f"declare void {symbol}(ptr, ptr)",
        "declare void @chainrule_pool_run(ptr, ptr, ptr, i64, i64, ptr)",
        "@no_bias = internal constant [128 x i8] zeroinitializer, align 64",
    }
    bases = {i: f"%a{i}" for i in call.views}
    for i, function in call.symbols.items():
        bases[i] = f"@{function}" if function else "@no_bias"
        if function:
            declare.add(f"declare void @{function}(ptr, ptr)")
    count, width = call.table.shape
    values = ", ".join(f"i64 {v}" for v in call.table.ravel().tolist())
    constant = f"@{name}_rows = internal constant [{width * count} x i64] [{values}]"
    table = f.alloca("i64", width * count)
    with f.loop(str(count)) as r:
        first = f.value(f"mul i64 {r}, {8 * width}")
        _write_row(f, f"@{name}_rows", table, first, [bases.get(i) for i in range(width)])
    f.do(
        f"call void @chainrule_pool_run(ptr %board, ptr {symbol}, ptr {table}, i64 {8 * width}, "
        f"i64 {count}, ptr %workspace)"
    )
    given = "".join(f"ptr %a{i}, " for i in call.views)
    head = f"internal void @{name}({given}ptr %board, ptr %workspace)"
    return constant + "\n" + f.text(f"{head} noinline nounwind")


# ---- calls in pieces -----------------------------------------------------------------------------


def shared_call(
    f: Function,
    functions: list[str],
    rows: list[list[str]],
    board: str,
    workspace: str,
    define: Callable[[str, list[str]], str],
) -> None:
    """Call each function with its row of typed operands, the rows shared between threads.

    All rows have operands of the same types; `define` gives the piece function for a function name
    and operand types.
    """
    kinds = [operand.split()[0] for operand in rows[0]]
    width = len(kinds) + 1
    table = f.alloca("i64", width * len(rows))
    for r, (function, row) in enumerate(zip(functions, rows, strict=True)):
        for i, operand in enumerate([f"ptr @{function}", *row]):
            place = f.value(f"getelementptr i64, ptr {table}, i64 {r * width + i}")
            f.do(f"store {operand}, ptr {place}")
    f.declarations.add("declare void @chainrule_pool_run(ptr, ptr, ptr, i64, i64, ptr)")
    f.do(
        f"call void @chainrule_pool_run(ptr {board}, ptr @{define('piece', kinds)}, ptr {table}, "
        f"i64 {8 * width}, i64 {len(rows)}, ptr {workspace})"
    )


def piece_text(name: str, kinds: list[str], declare: set[str]) -> str:
    """A function of a piece: calls the function in its first word with the words behind it."""
    f = Function(declare)
    operands = []
    for i, kind in enumerate(kinds):
        place = f.value(f"getelementptr i64, ptr %piece, i64 {i + 1}")
        operands.append(f"{kind} {f.value(f'load {kind}, ptr {place}')}")
    function = f.value("load ptr, ptr %piece")
    f.do(f"call void {function}({', '.join(operands)})")
    return f.text(f"internal void @{name}(ptr %piece, ptr %workspace) nounwind")
