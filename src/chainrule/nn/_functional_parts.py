"""Helpers of PyTorch's `nn.functional` that modules of other libraries are built with."""

from __future__ import annotations

from typing import Any

import chainrule as torch


def _none_or_dtype(input: Any) -> Any:
    if input is None:
        return None
    if isinstance(input, torch.Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _canonical_mask(
    mask: Any,
    mask_name: str,
    other_type: Any,
    other_name: str,
    target_type: Any,
    check_other: bool = True,
) -> Any:
    """A mask as numbers to add: -inf where a boolean mask is True."""
    if mask is None:
        return None
    if mask.dtype is not torch.bool and not mask.is_floating_point():
        raise RuntimeError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype is not other_type:
        from ..autograd.source import warn_user

        warn_user(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for "
            "both instead."
        )
    if mask.is_floating_point():
        return mask
    return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _mha_shape_check(
    query: Any,
    key: Any,
    value: Any,
    key_padding_mask: Any,
    attn_mask: Any,
    num_heads: int,
) -> bool:
    """Whether attention has a batch; an error where shapes do not go together."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            "query should be unbatched 2D or batched 3D tensor but received "
            f"{query.dim()}-D query tensor"
        )
    batched = query.dim() == 3
    word = "batched (3-D)" if batched else "unbatched (2-D)"
    if key.dim() != query.dim() or value.dim() != query.dim():
        raise AssertionError(
            f"For {word} `query`, expected `key` and `value` to be {query.dim()}-D but found "
            f"{key.dim()}-D and {value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != query.dim() - 1:
        raise AssertionError(
            f"For {word} `query`, expected `key_padding_mask` to be `None` or "
            f"{query.dim() - 1}-D but found {key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is None:
        return batched
    if attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {word} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
            f"{attn_mask.dim()}-D tensor instead"
        )
    expected = (num_heads, query.shape[0], key.shape[0])
    if not batched and attn_mask.dim() == 3 and tuple(attn_mask.shape) != expected:
        raise AssertionError(
            f"Expected `attn_mask` shape to be {expected} but got {tuple(attn_mask.shape)}"
        )
    return batched


def _in_projection_packed(q: Any, k: Any, v: Any, w: Any, b: Any = None) -> list[Any]:
    """Query, key and value projected by one matrix of three."""
    linear = torch.nn.functional.linear
    if k is v and q is k:
        return list(linear(q, w, b).chunk(3, -1))
    biases = (None, None, None) if b is None else b.chunk(3)
    return [linear(x, m, c) for x, m, c in zip((q, k, v), w.chunk(3), biases, strict=True)]


def _in_projection(
    q: Any, k: Any, v: Any, w_q: Any, w_k: Any, w_v: Any,
    b_q: Any = None, b_k: Any = None, b_v: Any = None,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """Query, key and value, each projected by its own matrix."""
    linear = torch.nn.functional.linear
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _get_softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension that a softmax without one means."""
    return 0 if ndim in (0, 1, 3) else 1


def assert_int_or_pair(arg: Any, arg_name: str, message: str) -> None:
    """Raise unless an argument is a number or two."""
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))
