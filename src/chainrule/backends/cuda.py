"""CUDA's switches: there is no CUDA, so they have no effect."""

from __future__ import annotations

from typing import Any

from ..standins import add_to as _add_stand_ins
from ..standins.finder import rest_of as _rest_of


class _Matmul:
    """Switches of matrix products on a GPU."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    fp32_precision = "none"


class SDPAParams:
    """The arguments of an attention, of which `can_use_flash_attention` and others are asked."""

    def __init__(
        self, query: Any, key: Any, value: Any, attn_mask: Any, dropout: float, is_causal: bool,
        enable_gqa: bool, /,
    ) -> None:  # fmt: skip
        self.query, self.key, self.value = query, key, value
        self.attn_mask, self.dropout = attn_mask, float(dropout)
        self.is_causal, self.enable_gqa = bool(is_causal), bool(enable_gqa)


matmul = _Matmul()
_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    """Whether this build can use CUDA: no."""
    return False


def flash_sdp_enabled() -> bool:
    """Whether fused attention on a GPU is switched on."""
    return _attention["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Switch fused attention on a GPU."""
    _attention["flash"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether memory-saving attention on a GPU is switched on."""
    return _attention["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Switch memory-saving attention on a GPU."""
    _attention["mem_efficient"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether plain attention on a GPU is switched on."""
    return _attention["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Switch plain attention on a GPU."""
    _attention["math"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's attention is switched on."""
    return _attention["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Switch cuDNN's attention."""
    _attention["cudnn"] = bool(enabled)


_add_stand_ins(globals())

__getattr__ = _rest_of(__name__)
