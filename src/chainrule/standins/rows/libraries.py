"""Names that PyTorch does not document and well-known libraries import."""

from __future__ import annotations

from ..kinds import PROCESSES, TOOLS
from .say import answer, first_argument, refused, rows

ROWS = [
    *rows(PROCESSES, """
distributed.tensor._utils: compute_global_tensor_info compute_local_shape_and_global_offset
"""),
    refused("distributed.tensor.placement_types", PROCESSES, "_StridedShard"),
    first_argument("distributed.rpc.api", "_require_initialized",
                   "marks functions that need a group of processes"),
    # Tensors that only pretend to have values: every tensor here has some, or is on "meta".
    answer("_subclasses.fake_tensor", False, "is_fake", "whether a tensor has no values: no"),
    *rows(TOOLS, """
_subclasses: CrossRefFakeMode DynamicOutputShapeException UnsupportedFakeTensorException
_subclasses = _subclasses.fake_tensor: FakeTensor FakeTensorMode
_subclasses.fake_tensor: FakeTensor FakeTensorMode
_subclasses.meta_utils: MetaConverter
_functorch.vmap: _maybe_remove_batch_dim
"""),
    answer("fx.experimental.proxy_tensor", None, "get_proxy_mode", "the tracer of ops: none"),
    refused("fx.experimental.proxy_tensor", TOOLS, "ProxyTorchDispatchMode make_fx"),
    answer("utils._python_dispatch", False, "is_traceable_wrapper_subclass",
           "whether a tensor wraps others: no"),
]  # fmt: skip
