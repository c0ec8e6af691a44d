"""Parts of a graph as modules of their own."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

from ...graph import Graph
from ...graph_module import GraphModule
from ...node import Node
from ..tools_common import NodeList, legalize_graph


def topo_sort(nodes: NodeList) -> NodeList:
    """Nodes in an order in which each comes after those it uses."""
    inside = set(nodes)
    placed: dict[Node, None] = {}
    waiting = list(nodes)
    while waiting:
        ready = [n for n in waiting if all(i in placed for i in n.all_input_nodes if i in inside)]
        if not ready:
            raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
        placed.update(dict.fromkeys(ready))
        waiting = [n for n in waiting if n not in placed]
    return list(placed)


def validate_partition(partition: NodeList) -> bool:
    """Whether no path leads out of a part of a graph and back into it."""
    inside = set(partition)
    seen: set[Node] = set()
    waiting = [user for node in partition for user in node.users if user not in inside]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        for user in node.users:
            if user in inside:
                return False
            waiting.append(user)
    return True


def fuse_as_graphmodule(
    gm: GraphModule, nodes: NodeList, module_name: str,
    partition_lookup_table: Mapping[Node, Any] | None = None, *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:  # fmt: skip
    """(a module that computes these nodes, what it takes, the nodes whose values it gives)."""
    if any(node.graph.owning_module is not gm for node in nodes):
        raise AssertionError("all nodes must belong to the graph module that is given")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    inside, graph = set(nodes), Graph()
    inputs: dict[Node, Node] = {}
    copies: dict[Node, Node] = {}

    def copied(node: Node) -> Node:
        if node in copies:
            return copies[node]
        if node.op == "get_attr":  # a constant of the module comes along
            copies[node] = graph.node_copy(node)
        else:
            inputs[node] = copies[node] = graph.placeholder(node.name, type_expr=node.type)
        return copies[node]

    for node in nodes:  # what they take comes first
        for each in node.all_input_nodes:
            if each not in inside:
                copied(each)
    for node in nodes:
        copies[node] = graph.node_copy(node, copied)
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    made = tuple(copies[node] for node in outputs)
    graph.output(made[0] if len(made) == 1 and not always_return_tuple else made)
    graph.lint()
    fused = GraphModule(gm, graph, class_name=module_name)
    return fused, tuple(inputs), tuple(outputs)


def insert_subgm(
    gm: GraphModule, sub_gm: GraphModule, orig_inputs: Sequence[Node],
    orig_outputs: Sequence[Node],
) -> GraphModule:  # fmt: skip
    """Call a module in the place of the nodes whose values it gives."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    after = max(orig_outputs, key=list(gm.graph.nodes).index)
    returned = next(n for n in sub_gm.graph.nodes if n.op == "output").args[0]
    with gm.graph.inserting_after(after):
        call = gm.graph.call_module(name, args=tuple(orig_inputs))
    if not isinstance(returned, tuple):
        orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        return gm
    last = call
    for k, node in enumerate(orig_outputs):
        with gm.graph.inserting_after(last):
            last = gm.graph.call_function(operator.getitem, (call, k))
        node.replace_all_uses_with(last, propagate_meta=True)
    return gm


def erase_nodes(gm: GraphModule, nodes: NodeList) -> None:
    """Remove nodes that nobody uses any more, last first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(
    gm: GraphModule, partitions: list[dict[Node, Any]], prefix: str = "fused_",
    always_return_tuple: bool = False,
) -> GraphModule:  # fmt: skip
    """A graph whose parts are modules of their own: `fused_0`, `fused_1`, ..."""
    for number, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        fused, inputs, outputs = fuse_as_graphmodule(
            gm, nodes, f"{prefix}{number}", always_return_tuple=always_return_tuple
        )
        insert_subgm(gm, fused, inputs, outputs)
        erase_nodes(gm, nodes)
    return legalize_graph(gm)


__all__ = [
    "erase_nodes", "fuse_as_graphmodule", "fuse_by_partitions", "insert_subgm", "topo_sort",
    "validate_partition",
]  # fmt: skip
