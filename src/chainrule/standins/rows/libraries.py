"""Names that PyTorch does not document and well-known libraries import."""

from __future__ import annotations

from ..kinds import PROCESSES, TOOLS
from .say import first_argument, refused, rows

ROWS = [
    *rows(PROCESSES, """
distributed.tensor._utils: compute_global_tensor_info compute_local_shape_and_global_offset
"""),
    refused("distributed.tensor.placement_types", PROCESSES, "_StridedShard"),
    first_argument("distributed.rpc.api", "_require_initialized",
                   "marks functions that need a group of processes"),
    *rows(TOOLS, """
_subclasses.meta_utils: MetaConverter
"""),
]  # fmt: skip
