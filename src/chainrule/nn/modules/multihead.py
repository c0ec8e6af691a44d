"""Attention of several heads between learned projections."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import Tensor
from ...autograd import refusal
from ...tensor import Parameter
from ...tensor.functions.nn_heads import self_attention
from .. import functional as F
from .. import init
from .layer_common import PROBLEMS, add_layer, is_seen, new_parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module

__all__ = ["MultiheadAttention"]

_ATTENTION = F.multi_head_attention_forward


class MultiheadAttention(Module):
    """softmax(q k^T / sqrt(d)) v in several heads, where q, k and v are projections of the inputs.

    Inputs are (sequence, batch, features), with `batch_first` (batch, sequence, features), or
    without a batch (sequence, features). Returns (output, weights); without `need_weights` the
    second is None and memory stays linear in the length of the sequence.

    >>> import chainrule as torch
    >>> attention = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    >>> x = torch.randn(3, 5, 8)
    >>> output, weights = attention(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 5, 5]))
    """

    __constants__: ClassVar[list[str]] = ["batch_first"]

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        _check_sizes(embed_dim, num_heads)
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        kind = {"device": device, "dtype": dtype}
        self._make_projections(bias, kind)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **kind)
        self.bias_k = new_parameter(1, 1, embed_dim, **kind) if add_bias_kv else None
        self.bias_v = new_parameter(1, 1, embed_dim, **kind) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _make_projections(self, bias: bool, kind: dict[str, Any]) -> None:
        e = self.embed_dim
        separate = {"q": e, "k": self.kdim, "v": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = new_parameter(3 * e, e, **kind)
            for name in separate:
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            for name, width in separate.items():
                self.register_parameter(f"{name}_proj_weight", new_parameter(e, width, **kind))
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", new_parameter(3 * e, **kind) if bias else None)

    def _reset_parameters(self) -> None:
        names = ("in",) if self._qkv_same_embed_dim else ("q", "k", "v")
        for name in names:
            init.xavier_uniform_(getattr(self, f"{name}_proj_weight"))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)  # pyright: ignore[reportArgumentType]
        for learned in (self.bias_k, self.bias_v):
            if learned is not None:
                init.xavier_normal_(learned)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Pickled by versions that had no separate widths.
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """(output, weights, averaged over the heads unless told otherwise, or None).

        True in a bool mask leaves a key out; a float mask is added to the scores. `is_causal` says
        that `attn_mask` is the causal one, so that it need not be looked at.
        """
        if query is key and key is value and not need_weights and self._is_plain(query):
            return self._attend_itself(query, (attn_mask, key_padding_mask), is_causal), None
        turned = self.batch_first and query.dim() == 3
        if turned:
            query, key, value = _sequence_first(query, key, value)
        try:
            output, weights = F.multi_head_attention_forward(
                query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
                self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
                self.out_proj.weight, self.out_proj.bias, self.training, key_padding_mask,
                need_weights, attn_mask, not self._qkv_same_embed_dim, self.q_proj_weight,
                self.k_proj_weight, self.v_proj_weight,
                average_attn_weights=average_attn_weights, is_causal=is_causal,
            )  # fmt: skip
        except PROBLEMS as problem:
            add_layer(problem, self)
        return (output.transpose(0, 1) if turned else output), weights

    def _is_plain(self, query: Tensor) -> bool:
        simple = self._qkv_same_embed_dim and self.bias_k is None and not self.add_zero_attn
        if not simple or query.dim() != 3:
            return False
        out = self.out_proj
        given = (query, self.in_proj_weight, self.in_proj_bias, out.weight, out.bias)
        return not is_seen(F.multi_head_attention_forward, _ATTENTION, *given)

    def _attend_itself(self, x: Tensor, masks: Any, is_causal: bool) -> Tensor:
        out = self.out_proj
        weights = (self.in_proj_weight, self.in_proj_bias, out.weight, out.bias)
        p = self.dropout if self.training else 0.0
        try:
            return self_attention(x, self.num_heads, weights, p, masks, is_causal, self.batch_first)
        except PROBLEMS as problem:
            add_layer(problem, self)

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Both masks as one, and which there are: 0 attention, 1 padding, 2 merged, or None."""
        if key_padding_mask is None:
            return attn_mask, None if attn_mask is None else 0
        if attn_mask is None:
            return key_padding_mask, 1
        batch, length = query.shape[0], attn_mask.shape[-1]
        of_heads = attn_mask.dim() == 3
        shape = (batch, -1, length, length) if of_heads else (1, 1, length, length)
        own = attn_mask.view(shape).expand(batch, self.num_heads, -1, -1)
        spread = key_padding_mask.view(batch, 1, 1, -1).expand(-1, self.num_heads, -1, -1)
        return own + spread, 2


def _check_sizes(embed_dim: int, num_heads: int) -> None:
    if embed_dim <= 0 or num_heads <= 0:
        raise ValueError(
            "embed_dim and num_heads must be greater than 0, got "
            f"embed_dim={embed_dim} and num_heads={num_heads} instead"
        )
    if embed_dim % num_heads:
        raise refusal.assertion(
            f"embed_dim must be divisible by num_heads, got {embed_dim} and {num_heads}",
            why="Every head takes embed_dim / num_heads of the features.",
            fix=f"embed_dim={embed_dim - embed_dim % num_heads + num_heads}, or another number of "
            "heads.",
        )


def _sequence_first(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All three with sequence and batch exchanged; what was one tensor stays one."""
    q = query.transpose(0, 1)
    k = q if key is query else key.transpose(0, 1)
    v = q if value is query else k if value is key else value.transpose(0, 1)
    return q, k, v
