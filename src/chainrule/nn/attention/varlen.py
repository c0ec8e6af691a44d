"""Attention of sequences of several lengths, one behind the other in one tensor."""

from __future__ import annotations

from typing import Any, NamedTuple

import chainrule as torch

from ...autograd import refusal


class AuxRequest(NamedTuple):
    """What `varlen_attn` gives besides the result."""

    lse: bool = False


def varlen_attn(
    query: Any, key: Any, value: Any, cu_seq_q: Any, cu_seq_k: Any, max_q: int, max_k: int, *,
    return_aux: AuxRequest | None = None, scale: float | None = None,
    window_size: tuple[int, int] = (-1, -1), enable_gqa: bool = False, seqused_k: Any = None,
    block_table: Any = None, num_splits: int | None = None,
) -> Any:  # fmt: skip
    """Attention within each sequence: queries (tokens, heads, size), `cu_seq_q` where each begins.

    `window_size` (left, right) limits how far a query looks; -1 is no limit, (-1, 0) is causal.

    >>> import chainrule as torch
    >>> from chainrule.nn.attention.varlen import varlen_attn
    >>> x, ends = torch.ones(5, 1, 4), torch.tensor([0, 2, 5])
    >>> varlen_attn(x, x, x, ends, ends, 3, 3).shape
    torch.Size([5, 1, 4])
    """
    if seqused_k is not None or block_table is not None:
        raise refusal.not_implemented("varlen_attn with a paged cache", fix="gather keys first.")
    starts_q, starts_k = ([int(n) for n in t] for t in (cu_seq_q, cu_seq_k))
    outs, sums = [], []
    for i, j, a, b in zip(starts_q, starts_q[1:], starts_k, starts_k[1:], strict=False):
        out, total = _one(query[i:j], key[a:b], value[a:b], scale, window_size, enable_gqa)
        outs.append(out)
        sums.append(total)
    result = torch.cat(outs)
    if return_aux is not None and return_aux.lse:
        return result, torch.cat(sums, -1)
    return result


def _one(
    q: Any, k: Any, v: Any, scale: float | None, window: tuple[int, int], grouped: bool
) -> Any:
    """One sequence: the result (tokens, heads, size) and the logarithms of the sums."""
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))
    if grouped and len(k) != len(q):
        k, v = (t.repeat_interleave(len(q) // len(t), 0) for t in (k, v))
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    left, right = window
    # The last query stands at the last key, as where a cache holds what came before.
    ahead = torch.arange(k.shape[1]) - torch.arange(q.shape[1])[:, None] - k.shape[1] + q.shape[1]
    if right >= 0:
        scores = scores.masked_fill(ahead > right, -torch.inf)
    if left >= 0:
        scores = scores.masked_fill(-ahead > left, -torch.inf)
    return (torch.softmax(scores, -1) @ v).transpose(0, 1), torch.logsumexp(scores, -1)


def varlen_attn_out(
    out: Any, query: Any, key: Any, value: Any, cu_seq_q: Any, cu_seq_k: Any, max_q: int,
    max_k: int, **options: Any,
) -> Any:  # fmt: skip
    """`varlen_attn` into a tensor that is there."""
    found = varlen_attn(query, key, value, cu_seq_q, cu_seq_k, max_q, max_k, **options)
    result, rest = found if isinstance(found, tuple) else (found, None)
    out.copy_(result)
    return out if rest is None else (out, rest)
