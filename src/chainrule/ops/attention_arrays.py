"""Attention on arrays, block by block: memory grows with the length, not with its square.

Where there is machine code for it, a block is a job of one thread from first to last (see
`compiler/products/attention.py`); what follows is how NumPy does it.

The scores of a block of queries exist only while the block is worked on: as many leading (batch,
head) entries at a time as fit into `_BLOCK` scores, or else one entry, some of its queries at a
time, and for very long sequences some of the keys at a time with a running maximum. The backward
pass makes the scores again from the logarithm of their sum; only where all of them are few and the
sequence is not long compared with the width, the forward pass hands over the weights. With a
causal mask, keys behind a block's last query are left out altogether.

Inputs may be strided (heads split off a projection are): products take them as they are.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from .buffers import borrow
from .halves import wide
from .kernels import LARGE_STACK, attention_jobs, fast, stacked_product

_BLOCK = 1 << 18  # scores at a time
_KEPT = 1 << 18  # scores in all, up to which the weights are kept for the backward pass
_QUERIES = 128  # queries at a time at least, before keys are taken in parts
_KEYS = 1024  # keys at a time at least
_HUGE = -1e30  # a mask below this leaves nothing of a score
_CAUSAL_QUERIES = 128  # queries at a time with a causal mask, which leaves out later keys


def pieces(lead, each):
    """Indices of leading dimensions such that each part has about _BLOCK scores."""
    total = math.prod(lead) * each
    if total <= _BLOCK or not lead:
        yield ()
        return
    inner = math.prod(lead[1:]) * each
    if inner <= _BLOCK:
        step = max(1, _BLOCK // max(1, inner))
        for start in range(0, lead[0], step):
            yield (slice(start, start + step),)
        return
    for i in range(lead[0]):
        for rest in pieces(lead[1:], each):
            yield (i, *rest)


def of_piece(array, piece):
    """The part of an array that belongs to a piece of the leading dimensions."""
    return array if not piece else array[piece]


def keys_first(x):
    """x with its last two dimensions exchanged."""
    return x.swapaxes(-1, -2)


@functools.lru_cache(maxsize=16)
def later_keys(rows, columns, dtype):
    """Minus infinity where a key comes after the query, else 0."""
    later = np.arange(columns) > np.arange(rows)[:, None]
    return np.where(later, dtype.type(-np.inf), dtype.type(0))


class Scores:
    """The scores of one piece: queries against keys, scaled and masked."""

    def __init__(self, q, k, mask, scale, causal):
        self.q, self.k, self.mask, self.scale, self.causal = q, keys_first(k), mask, scale, causal
        self.length, self.keys = q.shape[-2], k.shape[-2]
        each = math.prod(q.shape[:-2]) * self.keys
        self.step = min(max(_QUERIES, _BLOCK // max(1, each)), max(1, self.length))
        if causal:
            self.step = min(self.step, max(_CAUSAL_QUERIES, self.length // 8))
        self.width = self.keys
        self.memory = self.other = None

    def blocks(self, arrays=1):
        """(first query, end, number of keys they see) of every block, with memory for each."""
        entries = math.prod(self.q.shape[:-2]) * self.step
        self.width = max(_KEYS, _BLOCK // max(1, entries))
        count = entries * min(self.width, self.keys)
        self.memory = borrow(count, self.q.dtype)
        self.other = borrow(count, self.q.dtype) if arrays > 1 else None
        for start in range(0, self.length, self.step):
            stop = min(start + self.step, self.length)
            yield start, stop, min(stop, self.keys) if self.causal else self.keys

    def parts(self, seen):
        """(first, last) of the keys that are taken at a time."""
        for first in range(0, seen, self.width):
            yield first, min(first + self.width, seen)

    def scaled(self, start, stop):
        """A block of queries times the scale."""
        return self.q[..., start:stop, :] * self.scale

    def of(self, queries, start, first, last):
        """The scores of scaled queries from `start` on for the keys first to last, except that the
        causal mask is left to those who use them.
        """
        s = self.room(self.memory, queries, last - first)
        stacked_product(queries, self.k[..., first:last], out=s)
        if self.mask is not None:
            mask = self.mask[..., start : start + queries.shape[-2], first:last]
            if mask.dtype.kind == "b":
                np.copyto(s, -np.inf, where=~mask)
            else:
                s += mask
        return s

    def room(self, memory, queries, keys):
        """An array for the scores of a block, in memory that all blocks share."""
        shape = (*queries.shape[:-1], keys)
        if memory is None:
            return np.empty(shape, queries.dtype)
        return memory[: math.prod(shape)].reshape(shape)

    def exponentials(self, s, start, first, top, total):
        """s = exp(s - largest so far); gives what earlier exponentials shrink by."""
        shrink = np.empty_like(top)
        rows = s.shape[-2]
        if fast.attention_exponentials(s, top, total, shrink, rows, start, first, self.causal):
            return shrink
        self._hide_later(s, start, first)
        high = np.maximum(np.maximum.reduce(s, -1, keepdims=True, initial=-np.inf), top)
        level = np.where(high == -np.inf, s.dtype.type(0), high)
        s -= level
        np.exp(s, out=s)
        np.exp(top - level, out=shrink)
        total *= shrink
        total += np.add.reduce(s, -1, keepdims=True)
        top[...] = high
        return shrink

    def weights(self, s, start, first, sums):
        """s = exp(s - sums)."""
        if fast.attention_again(s, sums, s.shape[-2], start, first, self.causal):
            return
        self._hide_later(s, start, first)
        s -= sums
        np.exp(s, out=s)

    def _hide_later(self, s, start, first):
        rows, last = s.shape[-2], first + s.shape[-1]
        if self.causal and last > start:
            seen = max(start, first)
            hidden = later_keys(rows, last - start, s.dtype)
            s[..., seen - first :] += hidden[:, seen - start :]


def prepared(q, k, v, mask, masked):
    """(q, k, v, full mask or None, leading dimensions, (queries, keys))."""
    q, k, v = wide(q), wide(k), wide(v)
    lead, sizes = q.shape[:-2], (q.shape[-2], k.shape[-2])
    if masked:
        mask = mask if mask.dtype.kind == "b" else wide(mask)
        mask = np.broadcast_to(mask, (*lead, *sizes))
    return q, k, v, mask if masked else None, lead, sizes


def keeps_weights(lead, rows, columns, width):
    """Whether the weights are few enough to be kept for the backward pass."""
    return math.prod(lead) * rows * columns <= _KEPT and columns <= 4 * width + 64


def attention_arrays(q, k, v, mask, scale, causal, masked):
    """(softmax(q k^T scale + mask) v, logarithms of the sums, transposed weights or nothing)."""
    dtype = q.dtype
    must_keep = masked == "add" and _hides_by_numbers(mask, causal)
    q, k, v, mask, lead, (rows, columns) = prepared(q, k, v, mask, masked)
    scale = q.dtype.type(scale)
    # Laid out as the queries where that fits: joining the heads is no copy then.
    same = v.shape[-1] == q.shape[-1] and q.strides[-1] == q.itemsize
    out = np.empty_like(q) if same else np.empty((*lead, rows, v.shape[-1]), q.dtype)
    weights = np.empty(0, q.dtype)
    keep = must_keep or keeps_weights(lead, rows, columns, q.shape[-1])
    jobs = _jobs_for(lead, rows, columns, q, v)
    if jobs is not None:
        room = np.empty((*lead, columns, rows), q.dtype) if keep else None
        sums = jobs.forward(q, k, v, mask, scale, causal, out, room)
        if sums is not None:
            return out.astype(dtype, copy=False), sums, weights if room is None else room
    sums = np.empty((*lead, rows, 1), q.dtype)
    for piece in ((),) if keep else pieces(lead, rows * columns):
        own = [of_piece(a, piece) for a in (q, k, v, out, sums)]
        own_mask = None if mask is None else of_piece(mask, piece)
        scores = Scores(own[0], own[1], own_mask, scale, causal)
        if keep:
            weights = keys_first(_attend_at_once(scores, *own[2:]))
        else:
            for start, stop, seen in scores.blocks():
                _attend(scores, start, stop, seen, *own[2:])
    return out.astype(dtype, copy=False), sums, weights


def _hides_by_numbers(mask, causal):
    """Whether some query may see nothing but keys with a huge negative number as their mask.

    It attends to all of them alike, and the logarithm of their sum is lost beside such a number:
    the weights must be kept.
    """
    # With a causal mask what is not hidden may come too late: every number counts.
    top = mask if causal else np.maximum.reduce(mask, -1, initial=-np.inf)
    return bool(((top < _HUGE) & (top > -np.inf)).any())


def _jobs_for(lead, rows, columns, q, v):
    """What takes the whole of it as jobs of threads, where it is worth one."""
    large = math.prod(lead) * rows * columns * (q.shape[-1] + v.shape[-1]) >= 2 * LARGE_STACK
    return attention_jobs() if large else None


def _running(s_shape, dtype):
    """(largest scores, their sums) before anything was seen."""
    shape = (*s_shape[:-1], 1)
    return np.full(shape, -np.inf, dtype), np.zeros(shape, dtype)


def _attend_at_once(scores, v, out, sums):
    """Attention with all its weights, which are returned."""
    if scores.mask is None:
        s = np.empty((*scores.q.shape[:-1], scores.keys), scores.q.dtype)
        stacked_product(scores.q, scores.k, out=s)
        if fast.attention_softmax(s, sums, scores.scale, scores.length, scores.causal):
            stacked_product(s, v, out=out)
            return s
    s = scores.of(scores.scaled(0, scores.length), 0, 0, scores.keys)
    top, total = _running(s.shape, s.dtype)
    scores.exponentials(s, 0, 0, top, total)
    _finish(sums, top, total)
    if not fast.attention_divide(s, total):
        s /= total
    stacked_product(s, v, out=out)
    return s


def _finish(sums, top, total):
    """Write the logarithms of the sums; a query that sees nothing has infinity there, so that its
    weights come out as 0 again, and a total of 1.
    """
    np.log(total, out=sums)
    sums += top
    nothing = total == 0
    if nothing.any():
        total[nothing] = 1
        sums[nothing] = np.inf


def _attend(scores, start, stop, seen, v, out, sums):
    """Attention of one block of queries."""
    queries = scores.scaled(start, stop)
    block = out[..., start:stop, :]
    top, total = _running(queries.shape, queries.dtype)
    if not seen:
        block[...] = 0
    for first, last in scores.parts(seen):
        s = scores.of(queries, start, first, last)
        shrink = scores.exponentials(s, start, first, top, total)
        if first == 0:
            stacked_product(s, v[..., first:last, :], out=block)
        else:
            block *= shrink
            block += stacked_product(s, v[..., first:last, :])
    _finish(sums[..., start:stop, :], top, total)
    block /= total


# ---- gradients -----------------------------------------------------------------------------------


def attention_gradients(g, wants, q, k, v, mask, out, sums, weights, scale, causal, masked):
    """Gradients of attention for the wanted of (q, k, v, mask)."""
    given = (q, k, v, mask)
    q, k, v, mask, lead, (rows, columns) = prepared(q, k, v, mask, masked)
    g, out = wide(g), wide(out)
    scale = q.dtype.type(scale)
    if sums.shape != (*lead, rows, 1):  # the forward pass ran in ops that keep nothing for us
        _, sums, weights = attention_arrays(*given, scale, causal, masked)
    # Laid out as what they are gradients of: heads split off a projection join again for free.
    found = [np.empty_like(a, subok=False) for a in (q, k, v)]
    jobs = None if wants[3] else _jobs_for(lead, rows, columns, q, v)
    kept = weights if weights.size else None
    if jobs is not None and jobs.backward(g, q, k, v, mask, out, sums, scale, causal, found, kept):
        found = [r.astype(x.dtype, copy=False) for r, x in zip(found, given, strict=False)]
        return (*found, None)
    through = None if weights.size else np.einsum("...i,...i->...", g, out)[..., None]
    to_mask = None
    if wants[3]:
        to_mask = np.zeros((*(1,) * (q.ndim - given[3].ndim), *given[3].shape), q.dtype)
    for piece in ((),) if weights.size else pieces(lead, rows * columns):
        own = [None if a is None else of_piece(a, piece) for a in (k, v, g, sums, through, *found)]
        own_mask = None if mask is None else of_piece(mask, piece)
        scores = Scores(of_piece(q, piece), own[0], own_mask, scale, causal)
        add = None if to_mask is None else _adder(_of_broadcast(to_mask, piece))
        if weights.size:
            _pull_at_once(scores, keys_first(weights), *own, add=add)
        else:
            _pull(scores, *own, add=add)
    results = (*found, None if to_mask is None else to_mask.reshape(given[3].shape))
    return tuple(
        None if r is None else r.astype(x.dtype, copy=False)
        for r, x in zip(results, given, strict=True)
    )


def _through_weights(s, p, through):
    """s = (s - through) p."""
    if not fast.attention_pull(s, p, np.ascontiguousarray(through)):
        s -= through
        s *= p


def _pull_at_once(scores, p, k, v, g, sums, through, gq, gk, gv, add):
    """Gradients from kept weights."""
    stacked_product(keys_first(p), g, out=gv)
    s = stacked_product(g, keys_first(v))
    if add is None and fast.attention_pull_at_once(s, p, scores.scale):
        stacked_product(s, k, out=gq)
        stacked_product(keys_first(s), scores.q, out=gk)
        return
    _through_weights(s, p, np.add.reduce(s * p, -1, keepdims=True))
    if add is not None:
        add(s, 0, 0)
    stacked_product(s, k, out=gq)
    gq *= scores.scale
    stacked_product(keys_first(s), scores.scaled(0, scores.length), out=gk)


def _pull(scores, k, v, g, sums, through, gq, gk, gv, add):
    """Gradients block by block."""
    gk[...] = 0
    gv[...] = 0
    values = keys_first(v)
    for start, stop, seen in scores.blocks(2):
        queries, part = scores.scaled(start, stop), g[..., start:stop, :]
        own = gq[..., start:stop, :]
        log_sums = np.ascontiguousarray(sums[..., start:stop, :])
        if not seen:
            own[...] = 0
        for first, last in scores.parts(seen):
            p = scores.of(queries, start, first, last)
            scores.weights(p, start, first, log_sums)
            gv[..., first:last, :] += stacked_product(keys_first(p), part)
            s = scores.room(scores.other, part, last - first)
            stacked_product(part, values[..., first:last], out=s)
            _through_weights(s, p, through[..., start:stop, :])
            if add is not None:
                add(s, start, first)
            gk[..., first:last, :] += stacked_product(keys_first(s), queries)
            if first == 0:
                stacked_product(s, k[..., first:last, :], out=own)
            else:
                own += stacked_product(s, k[..., first:last, :])
        own *= scores.scale


def _of_broadcast(array, piece):
    """The part of a piece, where the array may have length 1 along leading dimensions."""
    index = []
    for k, i in enumerate(piece):
        if array.shape[k] == 1:
            index.append(slice(None) if isinstance(i, slice) else 0)
        else:
            index.append(i)
    return array[tuple(index)]


def _adder(target):
    """A function that adds gradients of a block of scores to a mask's, summed where broadcast."""

    def add(s, start, first):
        rows, columns = s.shape[-2:]
        own = target if target.shape[-2] == 1 else target[..., start : start + rows, :]
        own = own if target.shape[-1] == 1 else own[..., first : first + columns]
        axes = tuple(k for k, n in enumerate(own.shape) if n == 1 and s.shape[k] != 1)
        own += np.add.reduce(s, axes, keepdims=True) if axes else s

    return add
