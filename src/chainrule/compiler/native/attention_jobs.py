"""Attention as jobs of threads: a block of queries, or of one head's gradients, from first to last.

The scores of a block live in the workspace of the thread that works on them, where they fit into
its second-level cache; matrix products are calls of the machine code of `gemm_text.py`. A piece of
work is a row of numbers, in the order of `FIELDS`: addresses, strides in bytes,
sizes, and the bits of the scale. Elements along a last dimension lie side by side.

Queries are attended to by running maximum over parts of the keys. The gradients are computed from
transposed scores (keys by queries), so that only one of their five products copies its left factor.
"""

from __future__ import annotations

from .language import (
    PerType,
    T,
    accumulate,
    exp,
    from_bits,
    inlined,
    invoke,
    log,
    maximum,
    pointer,
    stack,
)  # fmt: skip

# What the numbers of a piece of work are; those from G on are for gradients.
FIELDS = (
    "q", "q_row", "k", "k_row", "v", "v_row", "out", "out_row", "sums", "start", "stop", "keys",
    "width", "value_width", "scale", "causal", "mask", "mask_row", "mask_column", "mask_kind",
    "product", "block_rows", "deepest", "zeros",
    "g", "g_row", "gq", "gq_row", "gk", "gk_row", "gv", "gv_row",
)  # fmt: skip
(
    Q, Q_ROW, K, K_ROW, V, V_ROW, OUT, OUT_ROW, SUMS, START, STOP, KEYS,
    WIDTH, VALUE_WIDTH, SCALE, CAUSAL, MASK, MASK_ROW, MASK_COLUMN, MASK_KIND,
    PRODUCT, BLOCK_ROWS, DEEPEST, ZEROS,
    G, G_ROW, GQ, GQ_ROW, GK, GK_ROW, GV, GV_ROW,
) = range(len(FIELDS))  # fmt: skip

ADDED, CHOSEN = 1, 2  # kinds of masks: numbers to add, truth values that say what takes part

INFINITY = float("inf")
SIZE = PerType(f32=4, f64=8)
MANY_QUERIES = PerType(f32=128, f64=96)  # at a time
MANY_KEYS = PerType(f32=512, f64=320)  # at a time
LINE = PerType(f32=528, f64=336)  # from one query's scores to the next: no multiple of a page
COLUMN = PerType(f32=144, f64=112)  # from one key's scores to the next
# Where the parts of the workspace begin, in bytes; before them lie the panels of products.
SCORES, SLOPES, TOPS, TOTALS = 1 << 20, (1 << 20) + (1 << 19), 1 << 21, (1 << 21) + (1 << 12)


@inlined
def multiply(p, workspace, a, a_row, a_column, b, b_row, b_column, c, c_row, m, n, k, adds):
    """c = a @ b, or c + a @ b: addresses, strides in bytes, sizes."""
    call = stack("i64", 18)
    deepest = p[DEEPEST]
    parts = (k + deepest - 1) // deepest
    call[0] = a
    call[1] = a_row
    call[2] = a_column
    call[3] = b
    call[4] = b_row
    call[5] = b_column
    call[6] = c
    call[7] = c_row
    call[8] = m
    call[9] = n
    call[10] = k
    call[11] = p[BLOCK_ROWS]
    call[12] = (k + parts * 4 - 1) // (parts * 4) * 4
    call[13] = p[ZEROS]
    call[14] = 0
    call[15] = p[ZEROS]
    call[16] = 0
    call[17] = adds
    invoke(p[PRODUCT], call, workspace)


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


# ---- forward -------------------------------------------------------------------------------------


@inlined
def exponentials(row, n, scale, top, total, r):
    """row = exp(row scale - top), with the new largest of its n scores in top, and their sum in
    total; gives what earlier exponentials must be multiplied with.
    """
    before = top[r]
    high = before
    for j in range(n):
        high = maximum(high, row[j] * scale)
    level = high if high > -1e38 else T(0.0)
    share = T(0.0)
    for j in range(n):
        e = exp(row[j] * scale - level)
        row[j] = e
        share = accumulate(share, e)
    factor = exp(before - level)
    top[r] = high
    total[r] = total[r] * factor + share
    return factor


@inlined
def attend(p, workspace):
    """softmax(q k^T scale + mask) v for the queries from start to stop, and the logarithms of the
    sums; a query that sees nothing gives zeros, and infinity as its logarithm.
    """
    scale = T(from_bits(p[SCALE]))
    start = p[START]
    causal = p[CAUSAL] != 0
    rows = p[STOP] - start
    width = p[WIDTH]
    value_width = p[VALUE_WIDTH]
    out_row = p[OUT_ROW] // SIZE
    s = pointer("T", workspace + SCORES)
    top = pointer("T", workspace + TOPS)
    total = pointer("T", workspace + TOTALS)
    out = pointer("T", p[OUT] + start * p[OUT_ROW])
    sums = pointer("T", p[SUMS] + start * SIZE)
    seen = min(p[STOP], p[KEYS]) if causal else p[KEYS]
    for r in range(rows):
        top[r] = -INFINITY
        total[r] = 0.0
    first = 0
    while first < seen:
        count = min(seen - first, MANY_KEYS)
        multiply(
            p, workspace, p[Q] + start * p[Q_ROW], p[Q_ROW], SIZE,
            p[K] + first * p[K_ROW], SIZE, p[K_ROW],
            workspace + SCORES, LINE * SIZE, rows, count, width, 0,
        )  # fmt: skip
        for r in range(rows):
            row = s[r * LINE :]
            n = max(min(start + r + 1 - first, count), 0) if causal else count
            factor = scale
            if p[MASK_KIND] != 0:
                factor = T(1.0)
                for j in range(n):
                    row[j] = masked(p, row[j], scale, start + r, first + j)
            shrink = exponentials(row, n, factor, top, total, r)
            for j in range(n, count):
                row[j] = 0.0
            if first > 0:
                line = out[r * out_row :]
                for j in range(value_width):
                    line[j] = line[j] * shrink
        multiply(
            p, workspace, workspace + SCORES, LINE * SIZE, SIZE,
            p[V] + first * p[V_ROW], p[V_ROW], SIZE,
            p[OUT] + start * p[OUT_ROW], p[OUT_ROW], rows, value_width, count, first,
        )  # fmt: skip
        first += MANY_KEYS
    for r in range(rows):
        line = out[r * out_row :]
        share = total[r]
        inverse = T(0.0) if share == 0.0 else 1.0 / share
        if seen > 0:
            for j in range(value_width):
                line[j] = line[j] * inverse
        else:
            for j in range(value_width):
                line[j] = 0.0
        sums[r] = T(INFINITY) if share == 0.0 else log(share) + top[r]


# ---- gradients -----------------------------------------------------------------------------------


@inlined
def weights_again(p, s, first, count, start, rows, scale, sums):
    """s = exp(s scale - sums): the transposed weights of a part of the keys."""
    causal = p[CAUSAL] != 0
    for j in range(count):
        row = s[j * COLUMN :]
        hidden = min(max(first + j - start, 0), rows) if causal else 0
        for r in range(hidden):
            row[r] = 0.0
        factor = scale
        if p[MASK_KIND] != 0:
            factor = T(1.0)
            for r in range(hidden, rows):
                row[r] = masked(p, row[r], scale, start + r, first + j)
        for r in range(hidden, rows):
            row[r] = exp(row[r] * factor - sums[r])


@inlined
def slopes_of(d, s, count, rows, scale, through):
    """d = (d - through) s scale: gradients of the scores."""
    for j in range(count):
        row = d[j * COLUMN :]
        own = s[j * COLUMN :]
        for r in range(rows):
            row[r] = (row[r] - through[r]) * own[r] * scale


@inlined
def zero_lines(address, row, count, width):
    """Zeros in `count` lines."""
    for i in range(count):
        line = pointer("T", address + i * row)
        for j in range(width):
            line[j] = 0.0


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
            p, workspace, k, p[K_ROW], SIZE, q, SIZE, p[Q_ROW], workspace + SCORES, COLUMN * SIZE,
            count, rows, p[WIDTH], 0,
        )  # fmt: skip
        weights_again(p, s, first, count, start, rows, scale, sums)
        multiply(
            p, workspace, workspace + SCORES, COLUMN * SIZE, SIZE, g_at, p[G_ROW], SIZE,
            p[GV] + first * p[GV_ROW], p[GV_ROW], count, p[VALUE_WIDTH], rows, 1,
        )  # fmt: skip
        multiply(
            p, workspace, p[V] + first * p[V_ROW], p[V_ROW], SIZE, g_at, SIZE, p[G_ROW],
            workspace + SLOPES, COLUMN * SIZE, count, rows, p[VALUE_WIDTH], 0,
        )  # fmt: skip
        slopes_of(d, s, count, rows, scale, through)
        multiply(
            p, workspace, workspace + SLOPES, COLUMN * SIZE, SIZE, q, p[Q_ROW], SIZE,
            p[GK] + first * p[GK_ROW], p[GK_ROW], count, p[WIDTH], rows, 1,
        )  # fmt: skip
        multiply(
            p, workspace, workspace + SLOPES, SIZE, COLUMN * SIZE, k, p[K_ROW], SIZE,
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
