"""The class of jagged tensors, and what libraries import beside it."""

from __future__ import annotations

from typing import Any

from .. import _of_parts, nested_tensor_from_jagged
from ..tensor import NestedTensor

__all__ = ["NestedTensor", "jagged_from_list", "nested_view_from_values_offsets"]


def jagged_from_list(
    tensors: list[Any], offsets: Any, dtype: Any = None, device: Any = None
) -> tuple[NestedTensor, Any]:
    """A nested tensor of components and its offsets, which may be given."""
    made = _of_parts(list(tensors), dtype)
    if offsets is not None:
        made = NestedTensor(made._values, offsets, _ragged_idx=made._ragged_idx)
    return made, made._offsets


def nested_view_from_values_offsets(
    values: Any, offsets: Any, ragged_idx: int = 1, min_seqlen: Any = None, max_seqlen: Any = None
) -> NestedTensor:
    """A nested tensor on values, with their history."""
    return nested_tensor_from_jagged(values, offsets, jagged_dim=ragged_idx)
