"""A graph in the language of Graphviz."""

from __future__ import annotations

import re
from typing import Any

from ...autograd.printable import printable

_COLORS = {
    "placeholder": "AliceBlue", "call_module": "LemonChiffon1", "get_param": "Yellow2",
    "get_attr": "LightGrey", "output": "PowderBlue",
}  # fmt: skip


class FxGraphDrawer:
    """Draws the nodes of a GraphModule.

    `get_dot_graph()` returns pydot's object where pydot is installed; `to_dot()` is the text that
    Graphviz reads and needs nothing.
    """

    def __init__(
        self, graph_module: Any, name: str, ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False, skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False, dot_graph_shape: str | None = None,
        normalize_args: bool = False,
    ) -> None:  # fmt: skip
        self._module, self._name = graph_module, name
        self._ignore = {"get_attr"} if ignore_getattr else set()
        self._shape = dot_graph_shape or "record"

    def to_dot(self) -> str:
        """The graph as text.

        >>> import chainrule as torch
        >>> gm = torch.fx.symbolic_trace(lambda x: x + 1)
        >>> "x -> add" in FxGraphDrawer(gm, "f").to_dot()
        True
        """
        lines = [f"digraph {_quoted(self._name)} {{", "rankdir=TB;"]
        shown = [n for n in self._module.graph.nodes if n.op not in self._ignore]
        for node in shown:
            color = _COLORS.get(node.op, "CadetBlue2")
            lines.append(
                f'{node.name} [shape={_quoted(self._shape)}, style="filled,rounded", '
                f'fillcolor="{color}", '
                f'label="{{{self._label(node)}}}"];'
            )
        for node in shown:
            lines += [f"{used.name} -> {node.name};" for used in node.all_input_nodes
                      if used.op not in self._ignore]  # fmt: skip
        return "\n".join([*lines, "}"])

    def _label(self, node: Any) -> str:
        target = node._pretty_print_target(node.target)
        rows = [f"name=%{node.name}", f"op_code={node.op}", f"target={target}"]
        meta = node.meta.get("tensor_meta")
        if hasattr(meta, "shape"):
            rows.append(f"dtype={meta.dtype} shape={tuple(meta.shape)}")
        rows.append(f"num_users={len(node.users)}")
        return "\\n".join(_in_a_record(row) for row in rows)

    def get_dot_graph(self, submod_name: str | None = None) -> Any:
        """pydot's graph."""
        return self.get_main_dot_graph()

    def get_main_dot_graph(self) -> Any:
        """pydot's graph."""
        try:
            import pydot  # type: ignore[import-not-found]
        except ImportError:
            raise RuntimeError(
                "FXGraphDrawer requires the pydot package to be installed. Please install pydot "
                "through your favorite Python package manager.\n"
                "  Fix: pip install pydot, or write the text of FxGraphDrawer(...).to_dot() to a "
                "file for Graphviz."
            ) from None
        return pydot.graph_from_dot_data(self.to_dot())[0]

    def get_submod_dot_graph(self, submod_name: str) -> Any:
        """pydot's graph of a submodule."""
        inner = self._module.get_submodule(submod_name)
        return FxGraphDrawer(inner, submod_name).get_main_dot_graph()

    def get_all_dot_graphs(self) -> dict[str, Any]:
        """The graph, by name."""
        return {self._name: self.get_main_dot_graph()}


def _quoted(name: str) -> str:
    """A name as Graphviz takes it whatever is in it."""
    if name.isascii() and name.isidentifier():
        return name
    escaped = printable(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _in_a_record(text: str) -> str:
    """Text inside of a box, where some signs mean something."""
    return re.sub(r'[\\{}<>|"]', r"\\\g<0>", printable(text).replace("\n", " "))


__all__ = ["FxGraphDrawer"]
