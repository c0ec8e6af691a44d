"""Functions below PyTorch's layers, as libraries call them: packed weights, a whole encoder layer.

Each is put together of public functions, so gradients and other transforms pass through it.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule.autograd import refusal
from chainrule.nn import functional as F

# ---- products with small integers ----------------------------------------------------------------


def _weight_int8pack_mm(self: Any, mat2: Any, scales: Any) -> Any:
    """Rows times the rows of an int8 matrix, each result scaled by its row's number."""
    return (self @ mat2.to(self.dtype).T) * scales


def _convert_weight_to_int4pack_for_cpu(self: Any, innerKTiles: int) -> Any:
    """Numbers from 0 to 15, two in each byte: the first of a pair in the low half."""
    if self.ndim != 2 or self.shape[1] % 2:
        raise refusal.runtime(
            "_convert_weight_to_int4pack_for_cpu: expected a matrix with an even number of columns",
            f"shape {list(self.shape)}",
        )
    low, high = self[:, 0::2], self[:, 1::2]
    return (low + high * 16).to(torch.uint8)


def _weight_int4pack_mm_for_cpu(self: Any, mat2: Any, qGroupSize: int, qScaleAndZeros: Any) -> Any:
    """Rows times packed rows; groups of columns have a scale and a value that stands for 8."""
    rows, columns = mat2.shape[0], mat2.shape[1] * 2
    numbers = torch.stack([mat2 % 16, mat2 // 16], -1).reshape(rows, -1, qGroupSize)
    scale, middle = (part.T.unsqueeze(-1) for part in qScaleAndZeros.unbind(-1))
    weight = (numbers.to(self.dtype) - 8) * scale + middle
    return self @ weight.reshape(rows, columns).T


# ---- sequences of different lengths --------------------------------------------------------------


def _nested_tensor_from_mask_left_aligned(t: Any, mask: Any) -> bool:
    """Whether the elements that a mask keeps are the first ones of each sequence."""
    lengths = mask.sum(1, keepdim=True)
    return bool((mask == (torch.arange(mask.shape[1]) < lengths)).all())


def _nested_tensor_from_mask(t: Any, mask: Any, mask_check: bool = True) -> Any:
    """The sequences of a batch, each as long as the mask keeps it."""
    if mask_check and not _nested_tensor_from_mask_left_aligned(t, mask):
        raise refusal.runtime(
            "Expected mask to be left-aligned: every sequence keeps its first elements",
            fix="sort the elements of each sequence so that those kept come first.",
        )
    lengths = mask.sum(1).tolist()
    parts = [one[:length] for one, length in zip(t.unbind(0), lengths, strict=True)]
    return torch.nested.as_nested_tensor(parts, layout=torch.jagged)


# ---- a layer of an encoder -----------------------------------------------------------------------


def _transformer_encoder_layer_fwd(
    src: Any, embed_dim: int, num_heads: int, qkv_weight: Any, qkv_bias: Any, proj_weight: Any,
    proj_bias: Any, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: Any,
    norm_bias_1: Any, norm_weight_2: Any, norm_bias_2: Any, ffn_weight_1: Any, ffn_bias_1: Any,
    ffn_weight_2: Any, ffn_bias_2: Any, mask: Any = None, mask_type: int | None = None,
) -> Any:  # fmt: skip
    """Attention and two linear layers with their norms, as `nn.TransformerEncoderLayer` in eval."""
    if src.is_nested:
        raise refusal.not_implemented(
            "_transformer_encoder_layer_fwd of nested tensors is not here",
            fix="call nn.TransformerEncoderLayer, which takes padded sequences and a mask.",
        )

    def norm(x: Any, weight: Any, bias: Any) -> Any:
        return F.layer_norm(x, (embed_dim,), weight, bias, eps)

    def attend(x: Any) -> Any:
        batch, length, _ = x.shape
        parts = F.linear(x, qkv_weight, qkv_bias).view(batch, length, 3, num_heads, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        read = F.scaled_dot_product_attention(q, k, v, _allowed(mask, mask_type, batch))
        return F.linear(read.transpose(1, 2).reshape(batch, length, -1), proj_weight, proj_bias)

    def feed(x: Any) -> Any:
        inner = F.linear(x, ffn_weight_1, ffn_bias_1)
        inner = F.gelu(inner) if use_gelu else F.relu(inner)
        return F.linear(inner, ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = src + attend(norm(src, norm_weight_1, norm_bias_1))
        return x + feed(norm(x, norm_weight_2, norm_bias_2))
    x = norm(src + attend(src), norm_weight_1, norm_bias_1)
    return norm(x + feed(x), norm_weight_2, norm_bias_2)


def _allowed(mask: Any, mask_type: int | None, batch: int) -> Any:
    """What attention may read, of a mask that says what it may not: 0 of pairs, 1 of keys."""
    if mask is None:
        return None
    mask = mask.to(torch.bool)
    if mask_type == 1:
        mask = mask.view(batch, 1, 1, -1)
    return ~mask
