"""attention-mask: attention looks at what it must not see, or at padding alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...reading.nodes import Vertex
from ..finding import ERROR, Finding
from ..positions import Position, of_node
from ..run import Pass, is_finite
from .base import Rule

ENOUGH, LOOKED_AT = 3, 8  # passes of a site
FEWEST = 3  # positions of a sequence
FAR = -1e4  # what a mask adds to leave a position out
MASKS = {"masked_fill_number", "masked_fill", "where", "add", "sub"}
FUTURE, PADDING = "future", "padding"
PRODUCTS = {"matmul", "bmm", "einsum", "mul"}
MOST = 4_000  # nodes that are looked at on the way to an embedding

Tokens = tuple[Vertex, np.ndarray, int]  # an embedding, its tokens, its padding token or -1


class AttentionMask(Rule):
    """Watches which positions attention gives weight to, beside the tokens: in a model that is
    asked for the next token, a position that sees later ones sees its own target; and a mask that
    leaves out every real token and keeps the padding is the wrong way round.

    Silent: models that are asked for anything else (classification, masked tokens), encoders
    beside a decoder, attention to an encoder's keys, prefixes that see each other, causal masks of
    any make.
    """

    id = "attention-mask"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._seen: dict[Position, tuple[int, str, float, bool]] = {}
        self._sick = False  # a row without any key made the loss NaN: nothing can be seen after it

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.create or this.in_site >= LOOKED_AT:
            return
        attentions = this.of("attention", "softmax")
        tokens = _tokens(this) if attentions else []
        if not tokens:
            return
        self._sick = self._sick or not is_finite(this.value)
        asked = _asked(this, tokens)
        for v in attentions:
            allowed = allowed_keys(v)
            if allowed is not None and allowed.shape[-1] >= FEWEST:
                self._judge(v, allowed, tokens, asked)

    def _judge(
        self, v: Vertex, allowed: np.ndarray, tokens: list[Tokens], asked: dict[int, int]
    ) -> None:
        length = allowed.shape[-1]
        is_square = allowed.shape[-2] == length and length in asked.values()
        if is_square and _comes_from(_keys(v), asked):
            later = np.triu(np.ones((length, length), bool), 1)
            share = float(allowed[..., later].mean())
            if share > 0.5:
                inverted = float(allowed[..., ~later].mean()) < 0.5
                self._note(v, FUTURE, share, inverted)
                return
        for _, ids, pad in tokens:
            if ids.shape[1] == length and _keeps_padding(ids, pad, allowed):
                self._note(v, PADDING, float((ids == pad).mean()), True)

    def _note(self, v: Vertex, kind: str, share: float, inverted: bool) -> None:
        where = masked_at(v)
        count = self._seen.get(where, (0,))[0]
        self._seen[where] = (count + 1, kind, share, inverted)

    def findings(self) -> Iterator[Finding]:
        for where, (count, kind, share, inverted) in self._seen.items():
            if count >= ENOUGH or self._sick:
                yield _told(self.id, where, count, kind, share, inverted)


def _told(
    rule: str, where: Position, count: int, kind: str, share: float, inverted: bool
) -> Finding:
    if kind == PADDING:
        return Finding(
            rule,
            ERROR,
            where,
            "the mask of this attention is the wrong way round: it leaves out every real token "
            "and keeps the padding",
            [f"in {count} passes only padding ({share:.0%} of the tokens) got any weight"],
            "key_padding_mask=(tokens == pad)  # True leaves a key out; ~mask turns it around",
        )
    return Finding(
        rule,
        ERROR,
        where,
        "attention sees later tokens, and so the very token that it is asked for"
        + (": the causal mask is the wrong way round" if inverted else ": there is no causal mask"),
        [f"{share:.0%} of the later positions are not masked, in {count} passes"],
        "torch.triu(torch.ones(n, n, dtype=torch.bool), 1) as attn_mask of nn.MultiheadAttention, "
        "is_causal=True of scaled_dot_product_attention",
    )


def allowed_keys(v: Vertex) -> np.ndarray | None:
    """Which keys each query gives weight to: an array of bools (..., queries, keys)."""
    if v.op == "softmax":
        out = v.saved_array("out")
        if out is None or out.ndim < 3:
            return None
        axis = v.parameters().get("axis", v.saved().get("axis"))
        axis = axis[0] if isinstance(axis, tuple) and axis else axis
        return out > 0 if isinstance(axis, int) and axis % out.ndim == out.ndim - 1 else None
    saved = v.saved()
    q, k = saved.get("q"), saved.get("k")
    if not isinstance(q, np.ndarray) or not isinstance(k, np.ndarray):
        return None
    shape = (*q.shape[:-1], k.shape[-2])
    bias = saved.get("bias")
    allowed = np.ones(shape[-2:], bool)
    if saved.get("causal"):
        allowed = np.tril(allowed)
    if saved.get("masked") and isinstance(bias, np.ndarray):
        allowed = allowed & (bias if bias.dtype == bool else bias > FAR)
    return np.broadcast_to(allowed, shape)


def masked_at(v: Vertex) -> Position:
    """The line that masks the scores of an attention, or that which computes it."""
    w = v
    for _ in range(3):
        w = next((link.parent for link in w.inputs if link.position == 0), v)
        if w.node is None or v.op != "softmax":
            break
        if w.op in MASKS and of_node(w.node).is_users:
            return of_node(w.node)
    return of_node(v.node)


def _keys(v: Vertex) -> Vertex:
    """What the keys of an attention are computed from: queries may come from elsewhere."""
    if v.op == "attention":
        return next((link.parent for link in v.inputs if link.input_name == "k"), v)
    w: Vertex = v
    for _ in range(6):  # masks, scales and shapes lie between the softmax and its product
        inner = [link for link in w.inputs if link.parent.node is not None]
        if w.op in PRODUCTS and len(inner) > 1:
            return inner[-1].parent
        if not inner:
            break
        w = inner[0].parent
    return v


def _comes_from(v: Vertex, sources: dict[int, int]) -> bool:
    """Whether a value is computed from one of some nodes."""
    seen: set[int] = set()
    stack = [v]
    while stack and len(seen) < MOST:
        w = stack.pop()
        if id(w) in sources:
            return True
        if id(w) not in seen:
            seen.add(id(w))
            stack += [link.parent for link in w.inputs]
    return False


def _tokens(this: Pass) -> list[Tokens]:
    """The tokens of each embedding, with its padding token or -1."""
    found: list[Tokens] = []
    for v in this.of("embedding"):
        saved = v.saved()
        ids, pad = saved.get("index"), saved.get("padding")
        if isinstance(ids, np.ndarray) and ids.ndim == 2 and ids.shape[1] >= FEWEST:
            if (ids != ids[:1]).any():  # positions are alike in every row
                found.append((v, ids, pad if isinstance(pad, int) else -1))
    return found


def _asked(this: Pass, tokens: list[Tokens]) -> dict[int, int]:
    """The embeddings whose next tokens are the targets, by id, and their lengths; none where they
    embed different tokens, as an encoder and a decoder that repeats what it is given do."""
    found = [(v, ids) for v, ids, _ in tokens if _asks_for_next(this, ids)]
    if any(ids.shape != found[0][1].shape or (ids != found[0][1]).any() for _, ids in found):
        return {}
    return {id(v): ids.shape[1] for v, ids in found}


def _asks_for_next(this: Pass, ids: np.ndarray) -> bool:
    """Whether every target is the token after its input."""
    for v in this.of("cross_entropy", "cross_entropy2d", "nll_loss"):
        target = v.saved().get("target")
        if isinstance(target, np.ndarray) and target.size % len(ids) == 0:
            rows = target.reshape(len(ids), -1)
            width = min(rows.shape[1], ids.shape[1] - 1)
            if width >= 2 and (rows[:, :width] == ids[:, 1 : 1 + width]).mean() > 0.9:
                return True
    return False


def _keeps_padding(ids: np.ndarray, pad: int, allowed: np.ndarray) -> bool:
    """Whether only padding gets weight: the declared token, or one that all kept keys share."""
    rows = len(ids)
    if allowed.ndim < 3 or allowed.shape[0] % rows:
        return False
    kept = allowed.reshape(rows, -1, ids.shape[1]).any(1)
    if kept.all() or not kept.any():
        return False
    if pad < 0:
        alone = np.unique(ids[kept])
        if alone.size != 1 or np.unique(ids[~kept]).size < FEWEST:
            return False
        pad = int(alone[0])
    return bool((kept == (ids == pad)).all())
