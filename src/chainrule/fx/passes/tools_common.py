"""Small helpers that passes over graphs share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}
NodeList = list[Node]
NodeSet = set[Node]


def get_node_target(submodules: Mapping[str, Any], node: Node) -> str:
    """The name of what a node calls: a class, a function with its module, or a method."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f"Expect op types of {sorted(CALLABLE_NODE_OPS)}, but found {node.op}")
    target: Any = node.target
    if node.op == "call_module":
        module = submodules[target]
        return f"{type(module).__module__}.{type(module).__qualname__}"
    if node.op == "call_function":
        home = getattr(target, "__module__", None)
        return f"{home}.{target.__name__}" if home else target.__name__
    return target


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Put the nodes of a graph in an order in which each comes after what it uses."""
    placed: dict[Node, Node] = {}
    made = Graph()
    waiting = list(gm.graph.nodes)
    while waiting:
        ready = [n for n in waiting if all(i in placed for i in n.all_input_nodes)]
        if not ready:
            raise RuntimeError(f"Input graph has cycles, unable to add {waiting}")
        for node in ready:
            placed[node] = made.node_copy(node, lambda n: placed[n])
        waiting = [n for n in waiting if n not in placed]
    made._codegen = gm.graph._codegen
    gm.graph = made
    return gm
