"""What a graph must fulfil to be run."""

from __future__ import annotations

from typing import Any

from .node import _OPS, map_arg


def check(graph: Any) -> None:
    """Raise RuntimeError for the first node that is wrong."""
    names: set[str] = set()
    defined: set[Any] = set()

    def is_defined(arg: Any, user: Any) -> Any:
        if arg.graph is not graph:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{user}' does not belong to this Graph, but was used "
                "as an argument! If you are copying nodes from another graph, make sure to use "
                "``arg_transform`` on node_copy() to remap values"
            )
        if arg not in defined:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{user}' was used before it has been defined! Please "
                f"check that Nodes in the graph are topologically ordered\n{graph}"
            )
        return arg

    for node in graph.nodes:
        if node.op not in _OPS[:-1]:
            raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
        if node.graph is not graph:
            raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
        map_arg(node.args, lambda arg, user=node: is_defined(arg, user))
        map_arg(node.kwargs, lambda arg, user=node: is_defined(arg, user))
        defined.add(node)
        if node.name in names:
            raise RuntimeError(f"Node redefined name {node.name}!")
        names.add(node.name)
        if graph.owning_module is not None and node.op in ("get_attr", "call_module"):
            _check_target(graph.owning_module, node)


def _check_target(owner: Any, node: Any) -> None:
    from ..nn import Module

    found = owner
    for k, part in enumerate(node.target.split(".")):
        if not hasattr(found, part):
            place = ".".join(node.target.split(".")[:k])
            raise RuntimeError(
                f"Node {node} target {node.target} references nonexistent attribute {part} of "
                f"{place}"
            )
        found = getattr(found, part)
    if node.op == "call_module" and not isinstance(found, Module):
        raise RuntimeError(
            f"Node {node} target {node.target} {type(found).__name__} does not reference an "
            "nn.Module"
        )
