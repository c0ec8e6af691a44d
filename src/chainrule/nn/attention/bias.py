"""Causal biases that attention recognises, so that no mask of length times length exists."""

from __future__ import annotations

import enum
from typing import Any

from ... import Tensor, bool, ones, tril  # noqa: A004 - the dtype

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """The corner at which the triangle of visible keys starts or ends."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask for `scaled_dot_product_attention`, given as its attn_mask.

    >>> import chainrule as torch
    >>> q, k = torch.ones(1, 1, 2, 4), torch.ones(1, 1, 3, 4)
    >>> bias = causal_lower_right(2, 3)
    >>> torch.nn.functional.scaled_dot_product_attention(q, k, k, bias).shape
    torch.Size([1, 1, 2, 4])
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        # One element seen everywhere: a shape without memory.
        made = ones((), dtype=bool).expand(seq_len_q, seq_len_kv).as_subclass(cls)
        made.variant, made.seq_len_q, made.seq_len_kv = variant, seq_len_q, seq_len_kv
        return made

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        pass

    @property
    def diagonal(self) -> int:
        """How many keys the first query sees beyond its own."""
        lower = self.variant is CausalVariant.LOWER_RIGHT
        return self.seq_len_kv - self.seq_len_q if lower else 0

    def _materialize(self, device: Any = None) -> Tensor:
        shape = (self.seq_len_q, self.seq_len_kv)
        return tril(ones(shape, device=device, dtype=bool), self.diagonal)

    def __repr__(self) -> str:
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """Query i sees the keys up to i.

    >>> causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return CausalBias(CausalVariant.UPPER_LEFT, *_two(size))


def causal_lower_right(*size: int) -> CausalBias:
    """The last query sees all keys, each one before it one less.

    >>> causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return CausalBias(CausalVariant.LOWER_RIGHT, *_two(size))


def _two(size: tuple[int, ...]) -> tuple[int, int]:
    if len(size) != 2:
        raise AssertionError(f"a causal bias is 2D: two sizes, got {size}")
    return size  # type: ignore[return-value]
