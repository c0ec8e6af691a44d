"""Attention as jobs of threads: a block of queries, or of one head's gradients, from first to last.

The scores of a block live in the workspace of the thread that works on them, where they fit into
its second-level cache; matrix products are calls of the machine code of `gemm_text.py`. A piece of
work is a row of numbers, in the order of `FIELDS`: addresses, strides in bytes,
sizes, and the bits of the scale. Elements along a last dimension lie side by side.

Scores are kept transposed, keys by queries: their maxima and sums run down the columns, so that
vectors never have to be folded, and only one product of each pass copies its left factor. Queries
are attended to by running maximum over parts of the keys. Where all scores are few,
`attend_keeping` hands the weights to `pull_keeping`, which need not make them again.
"""

from __future__ import annotations

from ..language.words import (  # fmt: skip
    PerType,
    T,
    accumulate,
    exp,
    from_bits,
    inlined,
    log,
    maximum,
    pointer,
    short,
)
from .product_calls import call_product

# What the numbers of a piece of work are; those from G on are for gradients.
FIELDS = (
    "q", "q_row", "k", "k_row", "v", "v_row", "out", "out_row", "sums", "start", "stop", "keys",
    "width", "value_width", "scale", "causal", "mask", "mask_row", "mask_column", "mask_kind",
    "product", "block_rows", "deepest", "zeros", "weights", "weights_row",
    "g", "g_row", "gq", "gq_row", "gk", "gk_row", "gv", "gv_row",
)  # fmt: skip
(
    Q, Q_ROW, K, K_ROW, V, V_ROW, OUT, OUT_ROW, SUMS, START, STOP, KEYS,
    WIDTH, VALUE_WIDTH, SCALE, CAUSAL, MASK, MASK_ROW, MASK_COLUMN, MASK_KIND,
    PRODUCT, BLOCK_ROWS, DEEPEST, ZEROS, WEIGHTS, WEIGHTS_ROW,
    G, G_ROW, GQ, GQ_ROW, GK, GK_ROW, GV, GV_ROW,
) = range(len(FIELDS))  # fmt: skip

ADDED, CHOSEN = 1, 2  # kinds of masks: numbers to add, truth values that say what takes part

INFINITY = float("inf")
SIZE = PerType(f32=4, f64=8)
MANY_QUERIES = PerType(f32=128, f64=96)  # at a time
MANY_KEYS = PerType(f32=512, f64=320)  # at a time
LINE = PerType(f32=144, f64=112)  # from one key's scores to the next: no multiple of a page
# Where the parts of the workspace begin, in bytes; before them lie the panels of products. Vectors
# with a number for each query are not a multiple of a page apart: loads would wait for stores.
SCORES, SLOPES = 1 << 20, (1 << 20) + (1 << 19)
TOPS, TOTALS = 3 << 20, (3 << 20) + (1 << 18) + 1088
LEVELS, SHRINKS = (3 << 20) + (2 << 18) + 2176, (3 << 20) + (3 << 18) + 3264
MOST_KEPT_QUERIES = 8192  # whose numbers have room there


@inlined
def multiply(p, workspace, a, a_row, a_column, b, b_row, b_column, c, c_row, m, n, k, adds):
    """c = a @ b, or c + a @ b: addresses, strides in bytes, sizes."""
    deepest = p[DEEPEST]
    parts = (k + deepest - 1) // deepest
    depth = (k + parts * 4 - 1) // (parts * 4) * 4
    call_product(
        p[PRODUCT], workspace, a, a_row, a_column, b, b_row, b_column, c, c_row, m, n, k,
        p[BLOCK_ROWS], depth, p[ZEROS], 0, p[ZEROS], adds,
    )  # fmt: skip


@inlined
def masked(p, score, scale, query, key):
    """A score times the scale, with its mask."""
    place = p[MASK] + query * p[MASK_ROW] + key * p[MASK_COLUMN]
    result = score * scale
    if p[MASK_KIND] == ADDED:
        added = pointer("T", place)
        result = result + added[0]
    else:
        chosen = pointer("u8", place)
        if chosen[0] == 0:
            result = T(-INFINITY)
    return result


@inlined
def hidden_queries(p, start, key, rows):
    """How many of the queries from `start` on do not see a key."""
    return min(max(key - start, 0), rows) if p[CAUSAL] != 0 else 0


@inlined
def apply_mask(p, s, line, start, rows, first, count, scale):
    """s = s scale + mask for the keys from `first` on; gives what is left to multiply with."""
    factor = scale
    if p[MASK_KIND] != 0:
        factor = T(1.0)
        for j in range(count):
            row = s[j * line :]
            place = p[MASK] + start * p[MASK_ROW] + (first + j) * p[MASK_COLUMN]
            added = pointer("T", place)
            chosen = pointer("u8", place)
            if p[MASK_KIND] == ADDED and p[MASK_ROW] == SIZE:
                add_line(row, added, rows, scale)
            elif p[MASK_KIND] == CHOSEN and p[MASK_ROW] == 1:
                choose_line(row, chosen, rows, scale)
            elif p[MASK_KIND] == CHOSEN and p[MASK_ROW] == 0:
                shift_line(row, rows, scale, T(0.0) if chosen[0] != 0 else T(-INFINITY))
            else:
                for r in range(rows):
                    row[r] = masked(p, row[r], scale, start + r, first + j)
    return factor


@inlined(apart=True)
def add_line(row, added, rows, scale):
    """The scores of one key, whose masks for all queries lie side by side."""
    for r in short(rows):
        row[r] = row[r] * scale + added[r]


@inlined(apart=True)
def choose_line(row, chosen, rows, scale):
    """The same for truth values."""
    for r in short(rows):
        row[r] = row[r] * scale if chosen[r] != 0 else T(-INFINITY)


@inlined(apart=True)
def shift_line(row, rows, scale, by):
    """The scores of one key, which has one mask for all queries."""
    for r in short(rows):
        row[r] = row[r] * scale + by


@inlined
def zero_lines(address, row, count, width):
    """Zeros in `count` lines."""
    for i in range(count):
        line = pointer("T", address + i * row)
        for j in range(width):
            line[j] = 0.0


# ---- forward -------------------------------------------------------------------------------------


@inlined(apart=True)
def move_on(p, s, top, total, level, shrink, line, start, rows, first, count, factor):
    """Exponentials of more keys: updates the largest scores and the sums, and says what earlier
    exponentials must be multiplied with.
    """
    for r in short(rows):
        shrink[r] = top[r]
    for j in range(count):
        row = s[j * line :]
        for r in short(hidden_queries(p, start, first + j, rows), rows):
            top[r] = maximum(top[r], row[r] * factor)
    for r in short(rows):
        high = top[r]
        low = high if high > -INFINITY else T(0.0)
        less = exp(shrink[r] - low)
        level[r] = low
        shrink[r] = less
        total[r] = total[r] * less
    for j in range(count):
        row = s[j * line :]
        hidden = hidden_queries(p, start, first + j, rows)
        for r in range(hidden):
            row[r] = 0.0
        for r in short(hidden, rows):
            e = exp(row[r] * factor - level[r])
            row[r] = e
            total[r] = total[r] + e


@inlined
def exponentials(p, workspace, s, line, start, rows, first, count, scale):
    """s = exp(s scale - largest so far), with all that goes with it."""
    factor = apply_mask(p, s, line, start, rows, first, count, scale)
    move_on(
        p, s, pointer("T", workspace + TOPS), pointer("T", workspace + TOTALS),
        pointer("T", workspace + LEVELS), pointer("T", workspace + SHRINKS),
        line, start, rows, first, count, factor,
    )  # fmt: skip


@inlined
def begin(workspace, rows):
    """No scores seen yet."""
    top = pointer("T", workspace + TOPS)
    total = pointer("T", workspace + TOTALS)
    for r in short(rows):
        top[r] = -INFINITY
        total[r] = 0.0


@inlined
def finish(p, workspace, start, rows):
    """The logarithms of the sums, infinity for a query that sees nothing; leaves in the totals
    what exponentials must be multiplied with.
    """
    top = pointer("T", workspace + TOPS)
    total = pointer("T", workspace + TOTALS)
    sums = pointer("T", p[SUMS] + start * SIZE)
    for r in short(rows):
        share = total[r]
        sums[r] = T(INFINITY) if share == 0.0 else log(share) + top[r]
        total[r] = T(0.0) if share == 0.0 else 1.0 / share


@inlined
def scale_lines(address, row, rows, width, factors):
    """Multiply each of the lines by its factor."""
    for r in range(rows):
        line = pointer("T", address + r * row)
        factor = factors[r]
        for j in range(width):
            line[j] = line[j] * factor


@inlined(apart=True)
def scale_columns(s, line, count, rows, factors):
    """Multiply each of the columns by its factor."""
    for j in range(count):
        row = s[j * line :]
        for r in short(rows):
            row[r] = row[r] * factors[r]


@inlined
def attend(p, workspace):
    """softmax(q k^T scale + mask) v for the queries from start to stop, and the logarithms of the
    sums; a query that sees nothing gives zeros.
    """
    scale = T(from_bits(p[SCALE]))
    start = p[START]
    rows = p[STOP] - start
    out = p[OUT] + start * p[OUT_ROW]
    s = pointer("T", workspace + SCORES)
    seen = min(p[STOP], p[KEYS]) if p[CAUSAL] != 0 else p[KEYS]
    begin(workspace, rows)
    first = 0
    while first < seen:
        count = min(seen - first, MANY_KEYS)
        multiply(
            p, workspace, p[K] + first * p[K_ROW], p[K_ROW], SIZE,
            p[Q] + start * p[Q_ROW], SIZE, p[Q_ROW],
            workspace + SCORES, LINE * SIZE, count, rows, p[WIDTH], 0,
        )  # fmt: skip
        exponentials(p, workspace, s, LINE, start, rows, first, count, scale)
        if first > 0:
            shrink = pointer("T", workspace + SHRINKS)
            scale_lines(out, p[OUT_ROW], rows, p[VALUE_WIDTH], shrink)
        multiply(
            p, workspace, workspace + SCORES, SIZE, LINE * SIZE,
            p[V] + first * p[V_ROW], p[V_ROW], SIZE,
            out, p[OUT_ROW], rows, p[VALUE_WIDTH], count, first,
        )  # fmt: skip
        first += MANY_KEYS
    finish(p, workspace, start, rows)
    if seen > 0:
        scale_lines(out, p[OUT_ROW], rows, p[VALUE_WIDTH], pointer("T", workspace + TOTALS))
    else:
        zero_lines(out, p[OUT_ROW], rows, p[VALUE_WIDTH])


@inlined
def attend_keeping(p, workspace):
    """As `attend` for all queries and keys of a head, with the weights in memory of their own."""
    scale = T(from_bits(p[SCALE]))
    rows = p[STOP]
    keys = p[KEYS]
    weights = pointer("T", p[WEIGHTS])
    multiply(
        p, workspace, p[K], p[K_ROW], SIZE, p[Q], SIZE, p[Q_ROW], p[WEIGHTS], p[WEIGHTS_ROW],
        keys, rows, p[WIDTH], 0,
    )  # fmt: skip
    begin(workspace, rows)
    exponentials(p, workspace, weights, rows, 0, rows, 0, keys, scale)
    finish(p, workspace, 0, rows)
    scale_columns(weights, rows, keys, rows, pointer("T", workspace + TOTALS))
    multiply(
        p, workspace, p[WEIGHTS], SIZE, p[WEIGHTS_ROW], p[V], p[V_ROW], SIZE, p[OUT], p[OUT_ROW],
        rows, p[VALUE_WIDTH], keys, 0,
    )  # fmt: skip


# ---- gradients -----------------------------------------------------------------------------------


@inlined(apart=True)
def weights_again(p, s, first, count, start, rows, scale, sums):
    """s = exp(s scale - sums): the weights of a part of the keys."""
    factor = apply_mask(p, s, LINE, start, rows, first, count, scale)
    for j in range(count):
        row = s[j * LINE :]
        hidden = hidden_queries(p, start, first + j, rows)
        for r in range(hidden):
            row[r] = 0.0
        for r in short(hidden, rows):
            row[r] = exp(row[r] * factor - sums[r])


@inlined(apart=True)
def column_products(d, s, line, count, rows, totals):
    """The sums over the keys of d times s."""
    for r in short(rows):
        totals[r] = 0.0
    for j in range(count):
        row = d[j * line :]
        own = s[j * line :]
        for r in short(rows):
            totals[r] = totals[r] + row[r] * own[r]


@inlined(apart=True)
def slopes_of(d, s, line, count, rows, scale, through):
    """d = (d - through) s scale: gradients of the scores."""
    for j in range(count):
        row = d[j * line :]
        own = s[j * line :]
        for r in short(rows):
            row[r] = (row[r] - through[r]) * own[r] * scale


@inlined
def pull_block(p, workspace, start, rows):
    """Add what a block of queries gives to the gradients of keys and values; set its own."""
    scale = T(from_bits(p[SCALE]))
    sums = pointer("T", p[SUMS] + start * SIZE)
    s = pointer("T", workspace + SCORES)
    d = pointer("T", workspace + SLOPES)
    through = pointer("T", workspace + TOPS)
    seen = min(start + rows, p[KEYS]) if p[CAUSAL] != 0 else p[KEYS]
    for r in range(rows):
        g = pointer("T", p[G] + (start + r) * p[G_ROW])
        out = pointer("T", p[OUT] + (start + r) * p[OUT_ROW])
        both = T(0.0)
        for j in range(p[VALUE_WIDTH]):
            both = accumulate(both, g[j] * out[j])
        through[r] = both
    q = p[Q] + start * p[Q_ROW]
    g_at = p[G] + start * p[G_ROW]
    if seen <= 0:
        zero_lines(p[GQ] + start * p[GQ_ROW], p[GQ_ROW], rows, p[WIDTH])
    first = 0
    while first < seen:
        count = min(seen - first, MANY_KEYS)
        k = p[K] + first * p[K_ROW]
        multiply(
            p, workspace, k, p[K_ROW], SIZE, q, SIZE, p[Q_ROW], workspace + SCORES, LINE * SIZE,
            count, rows, p[WIDTH], 0,
        )  # fmt: skip
        weights_again(p, s, first, count, start, rows, scale, sums)
        multiply(
            p, workspace, workspace + SCORES, LINE * SIZE, SIZE, g_at, p[G_ROW], SIZE,
            p[GV] + first * p[GV_ROW], p[GV_ROW], count, p[VALUE_WIDTH], rows, 1,
        )  # fmt: skip
        multiply(
            p, workspace, p[V] + first * p[V_ROW], p[V_ROW], SIZE, g_at, SIZE, p[G_ROW],
            workspace + SLOPES, LINE * SIZE, count, rows, p[VALUE_WIDTH], 0,
        )  # fmt: skip
        slopes_of(d, s, LINE, count, rows, scale, through)
        multiply(
            p, workspace, workspace + SLOPES, LINE * SIZE, SIZE, q, p[Q_ROW], SIZE,
            p[GK] + first * p[GK_ROW], p[GK_ROW], count, p[WIDTH], rows, 1,
        )  # fmt: skip
        multiply(
            p, workspace, workspace + SLOPES, SIZE, LINE * SIZE, k, p[K_ROW], SIZE,
            p[GQ] + start * p[GQ_ROW], p[GQ_ROW], rows, p[WIDTH], count, first,
        )  # fmt: skip
        first += MANY_KEYS


@inlined
def attend_back(p, workspace):
    """The gradients of q, k and v by the queries from start to stop; those of k and v are set."""
    zero_lines(p[GK], p[GK_ROW], p[KEYS], p[WIDTH])
    zero_lines(p[GV], p[GV_ROW], p[KEYS], p[VALUE_WIDTH])
    start = p[START]
    while start < p[STOP]:
        pull_block(p, workspace, start, min(p[STOP] - start, MANY_QUERIES))
        start += MANY_QUERIES


@inlined
def pull_keeping(p, workspace):
    """The gradients of q, k and v of one head from its weights."""
    scale = T(from_bits(p[SCALE]))
    rows = p[STOP]
    keys = p[KEYS]
    line = p[WEIGHTS_ROW]
    weights = pointer("T", p[WEIGHTS])
    d = pointer("T", workspace + SCORES)
    through = pointer("T", workspace + TOPS)
    multiply(
        p, workspace, p[WEIGHTS], line, SIZE, p[G], p[G_ROW], SIZE, p[GV], p[GV_ROW],
        keys, p[VALUE_WIDTH], rows, 0,
    )  # fmt: skip
    multiply(
        p, workspace, p[V], p[V_ROW], SIZE, p[G], SIZE, p[G_ROW], workspace + SCORES, line,
        keys, rows, p[VALUE_WIDTH], 0,
    )  # fmt: skip
    column_products(d, weights, rows, keys, rows, through)
    slopes_of(d, weights, rows, keys, rows, scale, through)
    multiply(
        p, workspace, workspace + SCORES, SIZE, line, p[K], p[K_ROW], SIZE, p[GQ], p[GQ_ROW],
        rows, p[WIDTH], keys, 0,
    )  # fmt: skip
    multiply(
        p, workspace, workspace + SCORES, line, SIZE, p[Q], p[Q_ROW], SIZE, p[GK], p[GK_ROW],
        keys, p[WIDTH], rows, 0,
    )  # fmt: skip
