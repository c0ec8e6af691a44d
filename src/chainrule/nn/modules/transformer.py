"""The transformer: encoder, decoder and their layers."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, ClassVar

from ... import Tensor, full, is_grad_enabled, triu
from ... import bool as bool_
from ...autograd import refusal
from ...autograd.source import warn_user
from .. import functional as F
from .. import init
from .container import ModuleList
from .dropout import Dropout
from .layer_common import check_depth
from .linear import Linear
from .module import Module
from .multihead import MultiheadAttention
from .normalization import LayerNorm

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip

Activation = str | Callable[[Tensor], Tensor]


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    return triu(full((sz, sz), float("-inf"), dtype=dtype, device=device), 1)


def _get_activation_fn(activation: str) -> Callable[[Tensor], Tensor]:
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


def _get_clones(module: Module, N: int) -> ModuleList:
    check_depth(N, "num_layers")
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _added(
    mask: Tensor | None, name: str, other: Tensor | None, other_name: str, like: Tensor
) -> Any:
    """A mask as one that is added to scores; a bool one and a float one together are outdated."""
    if mask is None:
        return None
    if mask.dtype is not bool_ and not mask.is_floating_point():
        raise refusal.assertion(
            f"only bool and floating types of {name} are supported, got {mask.dtype!r}"
        )
    if other is not None and other.dtype is not mask.dtype:
        warn_user(
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both "
            "instead.",
        )
    if mask.dtype is bool_:
        return like.new_zeros(mask.shape).masked_fill_(mask, float("-inf"))
    return mask


def _detect_is_causal_mask(mask: Tensor | None, is_causal: Any, size: int | None) -> Any:
    """Whether a mask is the causal one; asked of its values when nobody says so."""
    if is_causal is None and mask is not None and size is not None:
        causal = _generate_square_subsequent_mask(size, dtype=mask.dtype)
        return mask.shape == causal.shape and (mask == causal).all().item()
    return is_causal is True


def _get_seq_len(src: Tensor, batch_first: Any) -> int:
    return src.shape[1 if batch_first and src.dim() == 3 else 0]


class _Layer(Module):
    """What the encoder's and the decoder's layers share: the dense block and the norms."""

    def _make_dense(
        self, d_model: int, hidden: int, dropout: float, norm_first: Any, norms: int, eps: float,
        bias: Any, kind: dict[str, Any],
    ) -> None:  # fmt: skip
        self.linear1 = Linear(d_model, hidden, bias=bias, **kind)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(hidden, d_model, bias=bias, **kind)
        self.norm_first = norm_first
        for k in range(1, norms + 1):
            setattr(self, f"norm{k}", LayerNorm(d_model, eps=eps, bias=bias, **kind))
        for k in range(1, norms + 1):
            setattr(self, f"dropout{k}", Dropout(dropout))

    def _ff_block(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        last = self.dropout3 if hasattr(self, "dropout3") else self.dropout2
        return last(self.linear2(hidden))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then a dense block, each added to its input and normed.

    >>> import chainrule as torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=16, nhead=4, batch_first=True)
    >>> layer(torch.rand(3, 10, 16)).shape
    torch.Size([3, 10, 16])
    """

    __constants__: ClassVar[list[str]] = ["norm_first"]

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: Any = False,
        norm_first: Any = False, bias: Any = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **kind
        )
        self._make_dense(
            d_model, dim_feedforward, dropout, norm_first, 2, layer_norm_eps, bias, kind
        )
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        self.activation_relu_or_gelu = _known_activation(activation)
        self.activation = activation

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: Any = False,
    ) -> Tensor:
        """The layer's output; True in a bool mask leaves a key out."""
        padding = _added(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src)
        mask = _added(src_mask, "src_mask", None, "", src)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, mask: Any, padding: Any, is_causal: Any = False) -> Tensor:
        found = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False,
            is_causal=is_causal,
        )  # fmt: skip
        return self.dropout1(found[0])


def _known_activation(activation: Any) -> int:
    """1 for relu, 2 for gelu, 0 for another one."""
    from .activation import GELU, ReLU

    if activation is F.relu or isinstance(activation, ReLU):
        return 1
    return 2 if activation is F.gelu or isinstance(activation, GELU) else 0


class TransformerEncoder(Module):
    """A stack of copies of an encoder layer.

    Nested tensors do not exist here; the flags about them only decide, as in PyTorch, whether an
    evaluation without gradients gives zeros at padded places.

    >>> import chainrule as torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=16, nhead=4, batch_first=True)
    >>> encoder = torch.nn.TransformerEncoder(layer, num_layers=2)
    >>> encoder(torch.rand(3, 10, 16)).shape
    torch.Size([3, 10, 16])
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: Any = True, mask_check: Any = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor and _can_be_nested(encoder_layer)
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: Any = None,
    ) -> Tensor:
        """The last layer's output; whether `mask` is causal is found out unless said."""
        emptied = src_key_padding_mask if self._empties(src, mask, src_key_padding_mask) else None
        padding = _added(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src)
        mask = _added(mask, "mask", None, "", src)
        attention = getattr(self.layers[0], "self_attn", None)
        size = _get_seq_len(src, getattr(attention, "batch_first", False))
        causal = _detect_is_causal_mask(mask, is_causal, size)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if emptied is not None:
            output = output.masked_fill(emptied.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _empties(self, src: Tensor, mask: Tensor | None, padding: Tensor | None) -> Any:
        """Whether padded places come out as zeros."""
        if not self.use_nested_tensor or self.training or padding is None or src.dim() != 3:
            return False
        if mask is not None or padding.dtype is not bool_:
            return False
        if is_grad_enabled() and any(t.requires_grad for t in (src, *self.parameters())):
            return False
        left_aligned = (padding[:, 1:] >= padding[:, :-1]).all().item()
        return left_aligned or not self.mask_check


def _can_be_nested(layer: Any) -> Any:
    if not isinstance(layer, TransformerEncoderLayer) or layer.norm_first:
        return False
    attention = layer.self_attn
    return (
        attention.batch_first
        and attention._qkv_same_embed_dim
        and attention.in_proj_bias is not None
        and layer.activation_relu_or_gelu != 0
        and layer.norm1.eps == layer.norm2.eps
        and attention.num_heads % 2 == 0
    )


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to a memory, then a dense block.

    >>> import chainrule as torch
    >>> layer = torch.nn.TransformerDecoderLayer(d_model=16, nhead=4)
    >>> layer(torch.rand(7, 3, 16), torch.rand(10, 3, 16)).shape
    torch.Size([7, 3, 16])
    """

    __constants__: ClassVar[list[str]] = ["norm_first"]

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: Any = False,
        norm_first: Any = False, bias: Any = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        options = {"dropout": dropout, "bias": bias, "batch_first": batch_first, **kind}
        self.self_attn = MultiheadAttention(d_model, nhead, **options)
        self.multihead_attn = MultiheadAttention(d_model, nhead, **options)
        self._make_dense(
            d_model, dim_feedforward, dropout, norm_first, 3, layer_norm_eps, bias, kind
        )
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        self.activation = activation

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: Any = False,
        memory_is_causal: Any = False,
    ) -> Tensor:
        """The layer's output; True in a bool mask leaves a key out."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, mask: Any, padding: Any, is_causal: Any = False) -> Tensor:
        found = self.self_attn(
            x, x, x, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal,
            need_weights=False,
        )  # fmt: skip
        return self.dropout1(found[0])

    def _mha_block(
        self, x: Tensor, memory: Tensor, mask: Any, padding: Any, is_causal: Any = False
    ) -> Tensor:
        found = self.multihead_attn(
            x, memory, memory, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal,
            need_weights=False,
        )  # fmt: skip
        return self.dropout2(found[0])


class TransformerDecoder(Module):
    """A stack of copies of a decoder layer.

    >>> import chainrule as torch
    >>> layer = torch.nn.TransformerDecoderLayer(d_model=16, nhead=4)
    >>> decoder = torch.nn.TransformerDecoder(layer, num_layers=2)
    >>> decoder(torch.rand(7, 3, 16), torch.rand(10, 3, 16)).shape
    torch.Size([7, 3, 16])
    """

    __constants__: ClassVar[list[str]] = ["norm"]

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: Any = None,
        memory_is_causal: Any = False,
    ) -> Tensor:
        """The last layer's output; whether `tgt_mask` is causal is found out unless said."""
        attention = getattr(self.layers[0], "self_attn", None)
        size = _get_seq_len(tgt, getattr(attention, "batch_first", False))
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, size)
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """Encoder and decoder: the model of "Attention Is All You Need".

    >>> import chainrule as torch
    >>> model = torch.nn.Transformer(16, 4, num_encoder_layers=2, num_decoder_layers=2)
    >>> model(torch.rand(10, 3, 16), torch.rand(7, 3, 16)).shape
    torch.Size([7, 3, 16])
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
        num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, custom_encoder: Any = None, custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5, batch_first: Any = False, norm_first: Any = False,
        bias: Any = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **kind)

        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(*options, **kind)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm())
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(*options, **kind)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm())
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: Any = False,
    ) -> Tensor:
        """The decoder's output for `tgt`, given the encoder's output for `src`."""
        self._check(src, tgt)
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )  # fmt: skip

    def _check(self, src: Tensor, tgt: Tensor) -> None:
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and tgt.dim() == 3 and src.shape[batch] != tgt.shape[batch]:
            raise refusal.runtime(
                f"the batch number of src and tgt must be equal, got {src.shape[batch]} and "
                f"{tgt.shape[batch]}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise refusal.runtime(
                f"the feature number of src and tgt must be equal to d_model, got {src.shape[-1]}, "
                f"{tgt.shape[-1]} and {self.d_model}"
            )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """The causal mask: minus infinity above the diagonal, 0 elsewhere.

        >>> Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
