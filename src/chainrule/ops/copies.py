"""`<view>_copy`: what a view shows, as memory of its own.

Each is derived from the row of its view: the same rules, a copying forward, and the node name
PyTorch gives it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .schema import TABLE, Op

_COPIES = {
    "alias_copy": "alias", "as_strided_copy": "as_strided", "diagonal_copy": "diagonal",
    "expand_copy": "broadcast_to", "permute_copy": "transpose", "select_copy": "select",
    "slice_copy": "slice_axis", "split_copy": "split",
    "split_with_sizes_copy": "split_with_sizes", "squeeze_copy": "squeeze_all",
    "squeeze_axis_copy": "squeeze_axis", "squeeze_axes_copy": "squeeze_axes", "t_copy": "t",
    "transpose_copy": "swap_axes", "unbind_copy": "unbind", "unfold_copy": "unfold",
    "unsqueeze_copy": "unsqueeze", "view_as_real_copy": "view_as_real",
    "view_as_complex_copy": "view_as_complex", "view_copy": "view",
}  # fmt: skip
# A copy can be made of what no view could show.
_READS = {"view_copy": TABLE["reshape"].forward}
_NODE_NAMES = {"slice_copy": "NarrowCopyBackward0"}


def _own_memory(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(np.array(part, order="C") for part in result)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return np.array(result, order="C")


def _declare(name: str, view: Op) -> None:
    """The view's record with another name, a forward that copies, and no view."""
    record = object.__new__(Op)
    for field in Op.__slots__:
        setattr(record, field, getattr(view, field))

    compute = _READS.get(name, view.forward)

    def forward(x: Any, **params: Any) -> Any:
        return _own_memory(compute(x, **params))

    forward.__name__ = forward.__qualname__ = name
    record.name, record.aten, record.forward, record.cache = name, (name,), forward, {}
    record.view, record.lower, record.inline = False, None, None
    record.node_name = _NODE_NAMES.get(name, view.node_name + "_copy")
    record.doc = forward.__doc__ = f"{view.doc.rstrip('.')}, as memory of its own."
    TABLE[name] = record


for _name, _view in _COPIES.items():
    _declare(_name, TABLE[_view])
