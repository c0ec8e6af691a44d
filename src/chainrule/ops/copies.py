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
_NODE_NAMES = {"slice_copy": "NarrowCopyBackward0"}


def _own_memory(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(np.array(part, order="C") for part in result)
    return np.array(result, order="C")


def _declare(name: str, view: Op) -> None:
    keywords = "".join(f", {p}" for p in view.params)
    passed = "".join(f", {p}={p}" for p in view.params)
    head = f"x, *{keywords}" if keywords else "x"
    text = f"def {name}({head}): return own_memory(forward(x{passed}))"
    space: dict[str, Any] = {"own_memory": _own_memory, "forward": view.forward}
    exec(compile(text, f"<chainrule op {name}>", "exec"), space)
    forward = space[name]
    forward.__doc__ = f"{view.doc.rstrip('.')}, as memory of its own."
    TABLE[name] = Op(
        forward,
        {
            "vjp": view.vjps, "jvp": view.jvps, "linear_in": view.linear, "n_out": view.n_out,
            "batch": view.batch, "nondiff": view.nondiff,
            "node": _NODE_NAMES.get(name, view.node_name + "_copy"),
        },
    )  # fmt: skip


for _name, _view in _COPIES.items():
    _declare(_name, TABLE[_view])
