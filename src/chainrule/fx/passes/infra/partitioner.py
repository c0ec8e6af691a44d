"""The parts of a graph that a backend can take, as large as they can be."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from ...graph_module import GraphModule
from ...node import Node
from ..operator_support import OperatorSupportBase
from ..tools_common import CALLABLE_NODE_OPS
from ..utils.fuser_utils import fuse_by_partitions


class Partition:
    """Nodes that are to be one module."""

    def __init__(
        self, id: int | None = None, nodes: Iterable[Node] | None = None,  # noqa: A002
        node_orders: Iterable[int] | None = None,
    ) -> None:  # fmt: skip
        self.id = id
        self.nodes: dict[Node, int | None] = dict.fromkeys(nodes or ())

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        """Take a node in."""
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        """Let a node go."""
        del self.nodes[node]

    def size(self) -> int:
        """The number of nodes."""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """Joins supported nodes where no path leads out of a part and back into it."""

    def __init__(
        self, graph_module: GraphModule, operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False, non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ) -> None:  # fmt: skip
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = tuple(non_compute_ops or ())
        self.allowed_single_node_partition_ops = tuple(allowed_single_node_partition_ops or ())
        self.skip_horizontal_fusion = skip_horizontal_fusion
        self._of: dict[Node, Partition] = {}

    def _is_supported(self, node: Node) -> bool:
        modules = dict(self.graph_module.named_modules())
        return node.op in CALLABLE_NODE_OPS and self.operator_support.is_node_supported(
            modules, node
        )

    def propose_partitions(self) -> list[Partition]:
        """The parts, those of the end of the graph first."""
        self._of, parts, number = {}, [], 0
        for node in reversed(list(self.graph_module.graph.nodes)):
            if not self._is_supported(node):
                continue
            mine = Partition(number, [node])
            number += 1
            self._of[node] = mine
            parts.append(mine)
            near = [self._of[user] for user in node.users if user in self._of]
            others = [] if self.skip_horizontal_fusion else parts
            for other in [*near, *others]:
                if other is not mine and other in parts and self._may_join(mine, other):
                    self._join(mine, other)
                    parts.remove(other)
        self._keep_items_with_their_source()
        return [part for part in parts if part.nodes and self._is_worth_it(part)]

    def _join(self, mine: Partition, other: Partition) -> None:
        for node in other.nodes:
            mine.nodes[node] = None
            self._of[node] = mine

    def _may_join(self, one: Partition, other: Partition) -> bool:
        """Whether no path leaves the two together and comes back, through other parts included."""
        inside = {*one.nodes, *other.nodes}
        seen: set[Node] = set()
        waiting = [user for node in inside for user in node.users if user not in inside]
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            reached = self._of[node].nodes if node in self._of else (node,)
            seen.update(reached)
            for user in (user for each in reached for user in each.users):
                if user in inside:
                    return False
                waiting.append(user)
        return True

    def _keep_items_with_their_source(self) -> None:
        """`pair[0]` belongs to the part that makes the pair."""
        for node in self.graph_module.graph.nodes:
            for user in node.users:
                is_item = user.op == "call_function" and user.target is operator.getitem
                here, there = self._of.get(node), self._of.get(user)
                if is_item and here is not there:
                    if there is not None:
                        there.remove_node(user)
                        del self._of[user]
                    if here is not None:
                        here.add_node(user)
                        self._of[user] = here

    def _is_worth_it(self, part: Partition) -> bool:
        names = [_target_name(node) for node in part.nodes]
        if any(name in self.allowed_single_node_partition_ops for name in names):
            return True
        count = sum(name not in (*self.non_compute_ops, "_operator.getitem") for name in names)
        return count > (0 if self.allows_single_node_partition else 1)

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """The graph with each part as a module of its own."""
        return fuse_by_partitions(self.graph_module, [dict(p.nodes) for p in partitions], prefix)

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        """The graph with the largest parts as modules of their own."""
        return self.fuse_partitions(self.propose_partitions(), prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Let go of what computes nothing at the beginnings and ends of parts."""
        for part in partitions:
            changed = True
            while changed:
                loose = [node for node in part.nodes if self._is_at_an_end(part, node)]
                changed = bool(loose)
                for node in loose:
                    part.remove_node(node)

    def _is_at_an_end(self, part: Partition, node: Node) -> bool:
        if _target_name(node) not in self.non_compute_ops:
            return False
        inputs = any(each in part.nodes for each in node.all_input_nodes)
        return not (inputs and any(user in part.nodes for user in node.users))


def _target_name(node: Node) -> str:
    target: Any = node.target
    if isinstance(target, str):
        return target
    return f"{getattr(target, '__module__', '')}.{getattr(target, '__name__', target)}"


__all__ = ["CapabilityBasedPartitioner", "Partition"]
