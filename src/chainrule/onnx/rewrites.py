"""Functions that are written in others: formulas of elements, and whole rewritings."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch
import chainrule.nn.functional as F

# Written once more at the place of the call: in place where that is.
FORMULAS: dict[str, Any] = {
    "silu": lambda x, inplace=False: x * torch.sigmoid(x),
    "mish": lambda x, inplace=False: x * torch.tanh(F.softplus(x)),
    "hardswish": lambda x, inplace=False: x * F.hardsigmoid(x),
    "gelu": lambda x, *, approximate="none": x * 0.5 * (_gelu_part(x, approximate) + 1),
    "logsigmoid": lambda x: -F.softplus(-x),
    "log1p": lambda x: torch.log(x + 1),
    "expm1": lambda x: torch.exp(x) - 1,
    "log2": lambda x: torch.log(x) / math.log(2),
    "log10": lambda x: torch.log(x) / math.log(10),
    "exp2": lambda x: 2**x,
    "rsqrt": lambda x: torch.reciprocal(torch.sqrt(x)),
    "square": lambda x: x * x,
    "trunc": lambda x: torch.floor(torch.abs(x)) * torch.sign(x),
    "erfc": lambda x: 1 - torch.erf(x),
    "lerp": lambda x, end, weight: x + (end - x) * weight,
    "tanhshrink": lambda x: x - torch.tanh(x),
    "hardshrink": lambda x, lambd=0.5: torch.where(torch.abs(x) > lambd, x, 0.0),
    "softshrink": lambda x, lambd=0.5: torch.sign(x) * F.relu(torch.abs(x) - lambd),
    "threshold": lambda x, threshold, value, inplace=False: torch.where(x > threshold, x, value),
    "addcmul": lambda x, tensor1, tensor2, *, value=1: x + value * (tensor1 * tensor2),
    "addcdiv": lambda x, tensor1, tensor2, *, value=1: x + value * (tensor1 / tensor2),
}


def _gelu_part(input: Any, approximate: str) -> Any:
    if approximate == "none":
        return torch.erf(input * (1 / math.sqrt(2)))
    return torch.tanh((input + input * input * input * 0.044715) * math.sqrt(2 / math.pi))


REWRITES: dict[str, Any] = {}


def rewrites(*names: str) -> Any:
    """Enter a rewriting under the names of the functions it is for."""

    def enter(function: Any) -> Any:
        REWRITES.update(dict.fromkeys(names, function))
        return function

    return enter


@rewrites("var")
def _var(input: Any, dim: Any = None, unbiased: Any = True, keepdim: bool = False, *,
         correction: Any = None) -> Any:  # fmt: skip
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    less = int(unbiased) if correction is None else correction
    centred = input - torch.mean(input, dim, True) if dim is not None else input - input.mean()
    axes = range(input.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    count: Any = 1
    for k in axes:
        count = count * input.shape[k]
    squares = centred * centred
    total = squares.sum() if dim is None else torch.sum(squares, dim, keepdim)
    return total / (count - less)


@rewrites("std")
def _std(*args: Any, **kwargs: Any) -> Any:
    return torch.sqrt(_var(*args, **kwargs))


@rewrites("vector_norm")
def _vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False,
                 dtype: Any = None) -> Any:  # fmt: skip
    return _norm(x, ord, dim, keepdim)


@rewrites("norm")
def _norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False,
          dtype: Any = None) -> Any:  # fmt: skip
    if p is None or p == "fro" or p == 2:
        return torch.sqrt(torch.sum(input * input, dim, keepdim))
    size = torch.abs(input)
    if p == float("inf"):
        return torch.amax(size, dim if dim is not None else (), keepdim)
    return torch.sum(size**p, dim, keepdim) ** (1.0 / p)


@rewrites("normalize")
def _normalize(
    input: Any, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None
) -> Any:
    return input / torch.clamp(_norm(input, p, dim, True), min=eps)


@rewrites("cosine_similarity")
def _cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    one = x1 / torch.clamp(_norm(x1, 2, dim, True), min=eps)
    return torch.sum(one * (x2 / torch.clamp(_norm(x2, 2, dim, True), min=eps)), dim)


@rewrites("glu")
def _glu(input: Any, dim: int = -1) -> Any:
    a, b = torch.chunk(input, 2, dim)
    return a * torch.sigmoid(b)


@rewrites("softmin")
def _softmin(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    return F.softmax(-input, dim)


@rewrites("pixel_unshuffle")
def _pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    n, c, h, w = input.shape
    r = downscale_factor
    apart = input.reshape(n, c, h // r, r, w // r, r)
    return apart.permute(0, 1, 3, 5, 2, 4).reshape(n, c * r * r, h // r, w // r)


@rewrites("channel_shuffle")
def _channel_shuffle(input: Any, groups: int) -> Any:
    n, c, h, w = input.shape
    return input.reshape(n, groups, c // groups, h, w).transpose(1, 2).reshape(n, c, h, w)


@rewrites("bilinear")
def _bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    found = torch.einsum("...i,oij,...j->...o", input1, weight, input2)
    return found if bias is None else found + bias


@rewrites("rnn_tanh_cell")
def _rnn_tanh_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    return torch.tanh(F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh))


@rewrites("rnn_relu_cell")
def _rnn_relu_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    return torch.relu(F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh))


@rewrites("lstm_cell")
def _lstm_cell(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    h, c = hx
    i, f, n, o = torch.chunk(F.linear(x, w_ih, b_ih) + F.linear(h, w_hh, b_hh), 4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(n)
    return torch.sigmoid(o) * torch.tanh(c), c


@rewrites("gru_cell")
def _gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    r_x, z_x, n_x = torch.chunk(F.linear(x, w_ih, b_ih), 3, 1)
    r_h, z_h, n_h = torch.chunk(F.linear(h, w_hh, b_hh), 3, 1)
    n = torch.tanh(n_x + torch.sigmoid(r_x + r_h) * n_h)
    z = torch.sigmoid(z_x + z_h)
    return (1 - z) * n + z * h


def attention_forward(
    self: Any, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
    need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Any:  # fmt: skip
    """`MultiheadAttention.forward` in functions that have an ONNX form."""
    if self.bias_k is not None or self.add_zero_attn or query.dim() != 3:
        raise NotImplementedError("add_bias_kv, add_zero_attn or inputs without a batch")
    if not self.batch_first:
        query, key, value = (t.transpose(0, 1) for t in (query, key, value))
    q, k, v = _projected(self, query, key, value)
    mask = _merged_mask(self, query, attn_mask, key_padding_mask)
    scores = torch.matmul(q * self.head_dim**-0.5, k.transpose(-2, -1))
    if mask is not None:
        scores = scores + mask
    weights = torch.softmax(scores, -1)
    heads = torch.matmul(weights, v).transpose(1, 2)
    out = F.linear(heads.flatten(2), self.out_proj.weight, self.out_proj.bias)
    out = out if self.batch_first else out.transpose(0, 1)
    if not need_weights:
        return out, None
    return out, (weights.mean(1) if average_attn_weights else weights)


def _projected(self: Any, query: Any, key: Any, value: Any) -> list[Any]:
    if self._qkv_same_embed_dim:
        matrices = torch.chunk(self.in_proj_weight, 3)
    else:
        matrices = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
    shifts = (None,) * 3 if self.in_proj_bias is None else torch.chunk(self.in_proj_bias, 3)
    made = []
    for x, matrix, shift in zip((query, key, value), matrices, shifts, strict=True):
        flat = F.linear(x, matrix, shift)
        split = flat.reshape(flat.shape[0], flat.shape[1], self.num_heads, self.head_dim)
        made.append(split.transpose(1, 2))
    return made


def _merged_mask(self: Any, query: Any, attn_mask: Any, padding: Any) -> Any:
    """What is added to the scores, of a shape that broadcasts to (batch, heads, length, length)."""
    parts = []
    if attn_mask is not None:
        mask = _added(attn_mask, query.dtype)
        if mask.dim() == 3:
            mask = mask.reshape(-1, self.num_heads, *mask.shape[1:])
        parts.append(mask)
    if padding is not None:
        parts.append(_added(padding, query.dtype).unsqueeze(1).unsqueeze(1))
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


def _added(mask: Any, dtype: Any) -> Any:
    if mask.dtype != torch.bool:
        return mask.to(dtype)
    return torch.where(mask, torch.tensor(float("-inf"), dtype=dtype), torch.zeros((), dtype=dtype))
