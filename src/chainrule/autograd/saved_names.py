"""What PyTorch calls the saved values of a node: `grad_fn._saved_self`, `_saved_dim`...

Rules of the op table say what is saved, under the table's names (x, a, b, axis, out). PyTorch's
names follow from these by a few habits, and by a list of the ops that depart from them.
"""

from __future__ import annotations

import math
from typing import Any

from ..ops.schema import Op
from .value import TensorBase

# Parameters and results, whatever the op.
_HABITS = {
    "axis": "dim", "axis0": "dim0", "axis1": "dim1", "axes": "dims", "perm": "dims",
    "keepdims": "keepdim", "out": "result", "cond": "condition", "hit": "mask", "low": "min",
    "high": "max", "slope": "negative_slope", "k": "diagonal", "kernel": "kernel_size",
    "w": "weight", "ceil": "ceil_mode", "include_pad": "count_include_pad", "order": "ord",
    "divisor": "divisor_override", "ignore": "ignore_index", "padding_index": "padding_idx",
}  # fmt: skip
_TARGET = {"y": "target"}
_INDICES = {"index": "indices"}
_BY_OP: dict[str, dict[str, str]] = {
    "pow": {"b": "exponent"},
    "mm": {"b": "mat2"},
    "bmm": {"b": "mat2"},
    "addmm": {"a": "mat1", "b": "mat2"},
    "baddbmm": {"a": "batch1", "b": "batch2"},
    "mv": {"x": "vec"},
    "dot": {"b": "tensor"},
    "lerp": {"b": "end"},
    "where": {"a": "self", "b": "other"},
    "mse_loss": _TARGET,
    "huber_loss": _TARGET,
    "smooth_l1_loss": _TARGET,
    "bce_with_logits": {**_TARGET, "p": "pos_weight"},
    "max_at": _INDICES,
    "sort_at": _INDICES,
    "topk_at": _INDICES,
    "embedding": {**_INDICES, "padding": "padding_idx", "by_count": "scale_grad_by_freq"},
    "convolution": {"x": "input", "b": "bias"},
    "convolution_no_bias": {"x": "input"},
    "layer_norm": {"x": "input", "b": "bias"},
    "hardtanh": {"low": "min_val", "high": "max_val"},
    "flip": {"axis": "dims"},
    "det": {"a": "A"},
    "inv_ex": {"out": "inverse"},
    "elu": {"rate": "input_scale"},
}
# A factor is multiplied in before the op: for the node itself it is always 1.
CONSTANTS: dict[str, dict[str, Any]] = {"add": {"alpha": 1}, "sub": {"alpha": 1}}
_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
# What our kernels need and nobody else has a name for.
_HIDDEN = ("_fortran", "_dtype", "_ndim")
_SIZES, _STRIDES, _COUNT = "_sym_sizes", "_sym_strides", "_sym_numel"


def public_names(op: Op, saved: tuple[str, ...]) -> dict[str, str]:
    """PyTorch's name of each saved value -> the table's."""
    known = op.cache.get("public saved names")
    if known is None:
        known = {_public(op, name): name for name in saved if not name.endswith(_HIDDEN)}
        op.cache["public saved names"] = known
    return known


def _public(op: Op, name: str) -> str:
    if name.endswith("_shape"):
        return _public(op, name[: -len("_shape")]) + _SIZES
    special = _BY_OP.get(op.name, {}).get(name)
    if special is not None:
        return special
    if op.inputs and name == op.inputs[0] and name not in _HABITS:
        return "self"
    if len(op.inputs) == 2 and name == op.inputs[1] and name not in (*_HABITS, "index"):
        return "other"
    return _HABITS.get(name, name)


def find(op: Op, saved: tuple[str, ...], name: str) -> tuple[str, str] | None:
    """(the table's name, what of it is asked for) behind a name of PyTorch's; None if unknown."""
    known = public_names(op, saved)
    if name in known:
        return known[name], ""
    for part in (_SIZES, _STRIDES, _COUNT):
        stem = name.removesuffix(part)
        if stem != name and stem in known:
            return known[stem], part
        if stem != name and part == _COUNT and stem + _SIZES in known:
            return known[stem + _SIZES], part
    return (name, "") if name in saved else None  # the table's own name


def as_asked(value: Any, name: str, part: str) -> Any:
    """The value itself, or the sizes, strides or count of entries that PyTorch keeps beside it."""
    if name == "reduction":
        return _REDUCTIONS.get(value, value)
    if not part or value is None:
        return value
    if isinstance(value, TensorBase):
        tensor: Any = value
        return tuple(tensor.stride()) if part == _STRIDES else _counted(tensor.shape, part)
    return _counted(value, part)


def _counted(sizes: Any, part: str) -> Any:
    return math.prod(sizes) if part == _COUNT else tuple(sizes)
