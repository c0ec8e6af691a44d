"""Attention whose scores pass through a function of the user.

`score_mod(score, b, h, q, k)` is called for whole tensors at once, by vmap over batch, head, query
and key. The scores exist as one tensor then, as in PyTorch without its compiler; without a
`score_mod` the fused attention runs. Unlike PyTorch's on a CPU, everything is differentiable.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import Tensor, arange, float32, int32, softmax, where
from ...autograd import refusal
from ...func import vmap
from ...standins.finder import rest_of as _rest_of
from ..functional import pad, scaled_dot_product_attention

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask",
    "flex_attention", "noop_mask", "or_masks",
]  # fmt: skip

MaskMod = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]
_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """Which further results to return."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Further results: logarithms of the sums, and the largest scores."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """A mask that hides nothing."""
    return batch.new_ones((), dtype=_bool())


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """The mask that shows what all of the given ones show."""

    def both(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
        shown = noop_mask(b, h, q, k)
        for mod in mask_mods:
            shown = shown & mod(b, h, q, k)
        return shown

    return both


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """The mask that shows what any of the given ones shows."""

    def either(b: Tensor, h: Tensor, q: Tensor, k: Tensor) -> Tensor:
        shown = ~noop_mask(b, h, q, k)
        for mod in mask_mods:
            shown = shown | mod(b, h, q, k)
        return shown

    return either


def _bool() -> Any:
    from ... import bool as dtype

    return dtype


def _over_all(function: Callable[..., Any], first: int) -> Callable[..., Any]:
    """A function of (scores..., b, h, q, k) of single entries, for all of them at once."""
    axes = len("bhqk")
    for place in reversed(range(axes)):
        dims: list[int | None] = [0] * first + [None] * axes
        dims[first + place] = 0
        function = vmap(function, tuple(dims))
    return function


def _positions(b: int, h: int, q: int, k: int) -> list[Tensor]:
    return [arange(n, dtype=int32) for n in (b, h, q, k)]


def create_mask(
    mod_fn: Callable[..., Tensor], B: int | None, H: int | None, Q_LEN: int, KV_LEN: int,
    device: Any = None,
) -> Tensor:  # fmt: skip
    """The values of a mask function, (B, H, Q_LEN, KV_LEN).

    >>> create_mask(lambda b, h, q, k: q >= k, 1, 1, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    shape = (B or 1, H or 1, Q_LEN, KV_LEN)
    found = _over_all(mod_fn, 0)(*_positions(*shape))
    return found.expand(shape)


class BlockMask:
    """A mask function over sequences, and which blocks of scores it leaves empty or full."""

    def __init__(
        self, mask_mod: MaskMod, shape: tuple[int, int, int, int], block: tuple[int, int]
    ) -> None:
        self.mask_mod = mask_mod
        self.shape = shape
        self.seq_lengths = shape[2:]
        self.BLOCK_SIZE = block
        shown = create_mask(mask_mod, *shape)
        rows, columns = (math.ceil(n / size) for n, size in zip(shape[2:], block, strict=True))
        room = (0, columns * block[1] - shape[3], 0, rows * block[0] - shape[2])
        counts = pad(shown.to(int32), room).view(
            *shape[:2], rows, block[0], columns, block[1]
        ).sum((3, 5))  # fmt: skip
        full = counts == block[0] * block[1]
        self._any = counts > 0
        self.kv_num_blocks, self.kv_indices = _listed(self._any & ~full)
        self.full_kv_num_blocks, self.full_kv_indices = _listed(full)

    def numel(self) -> int:
        """The number of scores."""
        return math.prod(self.shape)

    def to_dense(self) -> Tensor:
        """1 for every block in which something is shown."""
        return self._any.to(int32)

    def sparsity(self) -> float:
        """The percentage of blocks in which nothing is shown."""
        return 100 * (1 - self._any.to(float32).mean().item())

    def to(self, device: Any) -> BlockMask:
        """The mask itself: there is one device."""
        return self

    def __repr__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%)"


def _listed(blocks: Tensor) -> tuple[Tensor, Tensor]:
    """Per row of blocks: how many are marked, and their positions first."""
    order = (~blocks).to(int32).argsort(-1, stable=True)
    return blocks.sum(-1).to(int32), order.to(int32)


def create_block_mask(
    mask_mod: MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE, _compile: bool = False,
    separate_full_blocks: bool = True, **options: Any,
) -> BlockMask:  # fmt: skip
    """The block mask of a mask function.

    >>> create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256)
    BlockMask(shape=(1, 1, 256, 256), sparsity=25.00%)
    """
    block = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    return BlockMask(mask_mod, (B or 1, H or 1, Q_LEN, KV_LEN), block)  # type: ignore[arg-type]


def flex_attention(
    query: Tensor, key: Tensor, value: Tensor, score_mod: ScoreMod | None = None,
    block_mask: BlockMask | None = None, scale: float | None = None, enable_gqa: bool = False,
    return_lse: bool = False, kernel_options: Any = None, *, return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Attention of (B, H, L, E) tensors with scores through `score_mod`, hidden by `block_mask`.

    >>> import chainrule as torch
    >>> q = torch.ones(1, 1, 3, 4)
    >>> flex_attention(q, q, q, lambda score, b, h, i, j: score - (i - j).abs()).shape
    torch.Size([1, 1, 3, 4])
    """
    _check(query, key, value)
    if enable_gqa:
        repeats = query.shape[1] // key.shape[1]
        key, value = (t.repeat_interleave(repeats, 1) for t in (key, value))
    shape = (*query.shape[:3], key.shape[2])
    shown = None if block_mask is None else create_mask(block_mask.mask_mod, *shape)  # pyright: ignore[reportCallIssue]
    if score_mod is None and not return_lse and return_aux is None:
        return scaled_dot_product_attention(query, key, value, shown, scale=scale)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = (query @ key.mT) * factor
    if score_mod is not None:
        scores = _over_all_scores(score_mod)(scores, *_positions(*shape))  # pyright: ignore[reportCallIssue]
    if shown is not None:
        scores = where(shown, scores, -math.inf)
    dead = (scores == -math.inf).all(-1, keepdim=True)
    out = where(dead, 0.0, softmax(where(dead, 0.0, scores), -1)).to(value.dtype) @ value
    if return_aux is None:
        return (out, scores.logsumexp(-1)) if return_lse else out
    return out, AuxOutput(
        scores.logsumexp(-1) if return_aux.lse else None,
        scores.amax(-1) if return_aux.max_scores else None,
    )


def _over_all_scores(score_mod: ScoreMod) -> Callable[..., Tensor]:
    function: Callable[..., Any] = score_mod
    for place in (4, 3, 2, 1):
        dims: list[int | None] = [0, None, None, None, None]
        dims[place] = 0
        function = vmap(function, tuple(dims))
    return function


def _check(q: Tensor, k: Tensor, v: Tensor) -> None:
    if not q.dim() == k.dim() == v.dim() == 4:
        raise refusal.value(
            f"Expected query, key, and value to be 4D tensors, got {q.dim()}D, {k.dim()}D and "
            f"{v.dim()}D"
        )
    if q.dtype is not k.dtype or q.dtype is not v.dtype:
        raise refusal.value(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{q.dtype!r}, key.dtype: {k.dtype!r}, and value.dtype: {v.dtype!r} instead."
        )


__getattr__ = _rest_of(__name__)
