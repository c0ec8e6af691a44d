"""The nodes of a graph as a table of text."""

from __future__ import annotations

from typing import Any


def print_nodes(graph: Any) -> None:
    """Print opcode, name, target and arguments of every node."""
    head = ["opcode", "name", "target", "args", "kwargs"]
    rows = [[n.op, n.name, str(_shown(n)), str(n.args), str(dict(n.kwargs))] for n in graph.nodes]
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    for row in [head, ["-" * w for w in widths], *rows]:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())


def _shown(node: Any) -> Any:
    return node.target if isinstance(node.target, str) else node._pretty_print_target(node.target)
