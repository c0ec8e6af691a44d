"""Cut a graph into submodules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph import Graph
from ..graph_module import GraphModule, _get_attr
from ..node import Node, map_arg


class Partition:
    """The nodes of one submodule, what they take from outside and what they give."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"name: {self.name}, nodes: {self.node_names}, inputs: {list(self.inputs)}"


def split_module(
    m: GraphModule, root_m: Any, split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None, keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False, keep_original_input_name: bool = True, *,
    partition_affix: str | None = None, tuple_return: bool = False, **options: Any,
) -> GraphModule:  # fmt: skip
    """A module of submodules `submod_0`, `submod_1`, ...: the callback says where a node goes.

    >>> import chainrule as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x + 1) * 2)
    >>> parts = split_module(gm, gm, lambda n: int(n.name == "mul"))
    >>> [name for name, _ in parts.named_children()], parts(torch.tensor(1.0))
    (['submod_0', 'submod_1'], tensor(4.))
    """
    places = {
        n: _name(split_callback(n), partition_affix)
        for n in m.graph.nodes
        if n.op not in ("placeholder", "get_attr", "output")
    }
    parts: dict[str, Partition] = {}
    for node, name in places.items():
        parts.setdefault(name, Partition(name)).node_names.append(node.name)
    _cross(m, places, parts)
    order = _sorted(parts)
    by_name = {n.name: n for n in m.graph.nodes}
    for part in order:
        _fill(m, part, by_name, qualname_map, tuple_return)
    return _main(m, order, tuple_return)


def _name(place: Any, affix: str | None) -> str:
    return f"{affix}_{place}" if affix else str(place)


def _cross(m: GraphModule, places: dict[Node, str], parts: dict[str, Partition]) -> None:
    """Note which values cross between parts; attributes are read where they are used."""
    for node in m.graph.nodes:
        own = places.get(node)
        for used in node.all_input_nodes:
            other = places.get(used)
            if used.op == "get_attr" or own == other:
                continue
            if own is not None:
                parts[own].inputs.setdefault(used.name)
                if other is not None:
                    parts[own].dependencies.setdefault(other)
                    parts[other].dependents.setdefault(own)
            if other is not None:
                parts[other].outputs.setdefault(used.name)


def _sorted(parts: dict[str, Partition]) -> list[Partition]:
    done: dict[str, Partition] = {}
    waiting = dict(parts)
    while waiting:
        ready = [n for n, p in waiting.items() if all(d in done for d in p.dependencies)]
        if not ready:
            raise RuntimeError("cycle exists between partitions!")
        for name in ready:
            done[name] = waiting.pop(name)
    return list(done.values())


def _fill(
    m: GraphModule, part: Partition, by_name: dict[str, Node],
    qualname_map: dict[str, str] | None, as_tuple: bool,
) -> None:  # fmt: skip
    for name in part.inputs:
        made = part.graph.placeholder(name, type_expr=by_name[name].type)
        made.meta = by_name[name].meta.copy()
        part.environment[by_name[name]] = made

    def value(n: Node) -> Node:
        if n not in part.environment:  # an attribute, read anew here
            part.environment[n] = _moved(m, part, n, qualname_map)
        return part.environment[n]

    for name in part.node_names:
        node = by_name[name]
        target = node.target
        args, kwargs = map_arg(node.args, value), map_arg(node.kwargs, value)
        if node.op == "call_module":
            target = _own_target(m, part, node, qualname_map)
        made = part.graph.create_node(node.op, target, args, dict(kwargs), node.name, node.type)
        made.meta = node.meta.copy()
        part.environment[node] = made
    outs = tuple(part.environment[by_name[n]] for n in part.outputs)
    part.graph.output(outs[0] if len(outs) == 1 and not as_tuple else outs)


def _own_target(m: GraphModule, part: Partition, node: Node, names: Any) -> str:
    target = node.target.replace(".", "_")
    part.targets[target] = _get_attr(m, node.target)
    if names is not None:
        names[f"{part.submod_name}.{target}"] = node.target
    return target


def _moved(m: GraphModule, part: Partition, node: Node, names: Any) -> Node:
    target = _own_target(m, part, node, names)
    made = part.graph.create_node("get_attr", target, (), {}, node.name, node.type)
    made.meta = node.meta.copy()
    return made


def _main(m: GraphModule, order: list[Partition], as_tuple: bool) -> GraphModule:
    graph = Graph()
    environment: dict[str, Any] = {}
    holders: dict[str, Any] = {}
    for node in m.graph.nodes:
        if node.op == "placeholder":
            given = {"default_value": node.args[0]} if node.args else {}
            made = graph.placeholder(node.target, type_expr=node.type, **given)
            made.meta = node.meta.copy()
            environment[node.name] = made
    for part in order:
        holders[part.submod_name] = GraphModule(part.targets, part.graph)
        inputs = tuple(environment[name] for name in part.inputs)
        result = graph.call_module(part.submod_name, inputs)
        outs = list(part.outputs)
        if len(outs) == 1 and not as_tuple:
            environment[outs[0]] = result
        else:
            import operator

            for k, name in enumerate(outs):
                environment[name] = graph.call_function(operator.getitem, (result, k))
    output = m.graph.output_node()

    def value(n: Node) -> Any:
        if n.name not in environment:
            environment[n.name] = graph.get_attr(n.target)
            holders[n.target] = _get_attr(m, n.target)
        return environment[n.name]

    graph.output(map_arg(output.args[0], value))
    return GraphModule(holders, graph)


__all__ = ["Partition", "split_module"]
