"""Which functions are not defined for which types of elements, though they could compute something.

Averages of integers that are cut off, orders of complex numbers, arithmetic of truth values:
PyTorch refuses them, function by function, and so do we. Half precision is no reason to refuse.

b: bool, i: all integers, j: integers but int64, u: uint8, c: complex; of the first argument.
"""

from __future__ import annotations

from typing import Any

from ..autograd import refusal
from .legacy import WORDS

_POOLS = "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d"
_NN = {
    "bic": _POOLS + " adaptive_max_pool3d max_unpool1d max_unpool2d max_unpool3d glu group_norm "
    "layer_norm instance_norm nll_loss binary_cross_entropy binary_cross_entropy_with_logits",
    "bjc": "avg_pool1d avg_pool2d avg_pool3d local_response_norm",
    "bj": "conv_transpose1d conv_transpose2d conv_transpose3d",
    "b": "conv1d conv2d conv3d softsign tanhshrink hinge_embedding_loss ctc_loss",
    "bi": "rms_norm multi_margin_loss multilabel_margin_loss grid_sample",
    "i": "unfold",
    "ic": "kl_div pdist",
    "bc": "max_pool1d max_pool2d max_pool3d hardtanh relu6 threshold",
    "c": "cosine_similarity scaled_dot_product_attention linear_cross_entropy",
}
_OTHERS = {
    "b": "corrcoef cov kthvalue median nanmedian topk trace argmax argmin round mvlgamma cross "
    "linalg.cross",
    "bu": "gradient",
    "bi": "histogram histogramdd lerp renorm logcumsumexp linalg.vecdot",
    "bic": "histc grid_sampler_2d grid_sampler_3d native_group_norm native_layer_norm",
    "c": "deg2rad rad2deg amax amin unique unique_consecutive msort logit",
}
TYPES: dict[str, str] = {
    **{f"nn.functional.{name}": kinds for kinds, names in _NN.items() for name in names.split()},
    **{name: kinds for kinds, names in _OTHERS.items() for name in names.split()},
}


def names_of(kinds: str) -> frozenset[str]:
    """The names of the types that the letters stand for."""
    small = {"uint8", "int8", "int16", "int32"}
    groups = {
        "b": {"bool"}, "i": small | {"int64"}, "j": small, "u": {"uint8"},
        "c": {"complex64", "complex128"},
    }  # fmt: skip
    return frozenset().union(*(groups[k] for k in kinds))


def refuse(name: str, value: Any) -> None:
    """Raise for a tensor of a type that the function is not defined for."""
    fix = "take x.real, x.imag or x.abs()" if value.dtype.is_complex else "convert it with .float()"
    raise refusal.not_implemented(
        f"\"{name}_cpu\" not implemented for '{WORDS[value.dtype.name]}'",
        f"{name}() does not support {value.dtype!r}",
        fix=f"{fix} first.",
    )
