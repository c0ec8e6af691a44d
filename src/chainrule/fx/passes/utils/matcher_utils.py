"""Find a small graph in a large one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...graph import Graph
from ...node import Node


@dataclass
class InternalMatch:
    """One place where the pattern was found."""

    anchors: list[Node]
    nodes_map: dict[Node, Node] = field(default_factory=dict)
    placeholder_nodes: list[Any] = field(default_factory=list)
    returning_nodes: list[Node] = field(default_factory=list)
    name_node_map: dict[str, Node] = field(default_factory=dict)


class SubgraphMatcher:
    """Finds where a graph computes what a pattern computes, node by node."""

    def __init__(
        self, pattern: Graph, match_output: bool = False, match_placeholder: bool = False,
        remove_overlapping_matches: bool = True, ignore_literals: bool = False,
    ) -> None:  # fmt: skip
        self.pattern = pattern
        self.match_placeholder = match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.users and node.op != "placeholder":
                raise AssertionError("a pattern has no node that its result does not need")
        output = pattern.output_node()
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        self.pattern_returning_nodes: list[Node] = output.all_input_nodes
        self.pattern_anchors = [
            n for n in output.all_input_nodes if len(n.users) == 1
        ] or self.pattern_returning_nodes  # fmt: skip

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """All places, in the order of the graph; of overlapping ones the first."""
        found: list[InternalMatch] = []
        first = self.pattern_anchors[0]
        for candidate in graph.nodes:
            match = InternalMatch(anchors=[candidate])
            if self._same(first, candidate, match) and self._others(graph, match):
                self._finish(match)
                if self._closed(match):
                    found.append(match)
        return self._apart(found) if self.remove_overlapping_matches else found

    def _others(self, graph: Graph, match: InternalMatch) -> bool:
        """Place the other results of the pattern, which hang on what was placed already."""
        for anchor in self.pattern_anchors[1:]:
            for candidate in graph.nodes:
                trial = InternalMatch(match.anchors, dict(match.nodes_map))
                if candidate not in trial.nodes_map.values() and self._same(
                    anchor, candidate, trial
                ):
                    match.nodes_map = trial.nodes_map
                    match.anchors = [*match.anchors, candidate]
                    break
            else:
                return False
        return True

    def _finish(self, match: InternalMatch) -> None:
        match.placeholder_nodes = [
            match.nodes_map[n] for n in self.pattern_placeholder_nodes if n in match.nodes_map
        ]
        match.returning_nodes = [
            match.nodes_map[n] for n in self.pattern_returning_nodes if n in match.nodes_map
        ]

    def _closed(self, match: InternalMatch) -> bool:
        """Whether nothing outside takes a value from the inside of the match."""
        inner = {
            node for key, node in match.nodes_map.items()
            if key.op not in ("placeholder", "get_attr") and isinstance(node, Node)
        }  # fmt: skip
        returned = set(match.returning_nodes)
        return all(user in inner for node in inner if node not in returned for user in node.users)

    @staticmethod
    def _apart(matches: list[InternalMatch]) -> list[InternalMatch]:
        kept, taken = [], set()
        for match in matches:
            own = {
                n for key, n in match.nodes_map.items()
                if key.op not in ("placeholder", "get_attr") and isinstance(n, Node)
            }  # fmt: skip
            if not own & taken:
                taken |= own
                kept.append(match)
        return kept

    def _same(self, pattern: Node, node: Any, match: InternalMatch) -> bool:
        """Whether a node computes what a node of the pattern does; fills the match."""
        if pattern in match.nodes_map:
            return match.nodes_map[pattern] is node
        if pattern.op == "placeholder" and not self.match_placeholder:
            match.nodes_map[pattern] = node
            return True
        if not isinstance(node, Node) or node in match.nodes_map.values():
            return False
        if not self._same_target(pattern, node):
            return False
        before = dict(match.nodes_map)
        match.nodes_map[pattern] = node
        args, kwargs, p_args, p_kwargs = _paired(pattern, node)
        if self._same_values(p_args, args, match) and self._same_values(p_kwargs, kwargs, match):
            return True
        match.nodes_map = before
        return False

    def _same_target(self, pattern: Node, node: Node) -> bool:
        if pattern.op != node.op:
            return False
        if pattern.op in ("placeholder", "output"):
            return True
        if pattern.op == "get_attr":
            return _attribute(pattern) == _attribute(node)
        if pattern.op == "call_module":
            own, other = pattern.graph.owning_module, node.graph.owning_module
            if own is not None and other is not None:
                return type(own.get_submodule(pattern.target)) is type(
                    other.get_submodule(node.target)
                )
        return bool(pattern.target == node.target)

    def _same_values(self, pattern: Any, value: Any, match: InternalMatch) -> bool:
        if isinstance(pattern, Node):
            return self._same(pattern, value, match)
        if isinstance(pattern, list | tuple) and isinstance(value, list | tuple):
            return len(pattern) == len(value) and all(
                self._same_values(p, v, match) for p, v in zip(pattern, value, strict=True)
            )
        if isinstance(pattern, dict) and isinstance(value, dict):
            return pattern.keys() == value.keys() and all(
                self._same_values(pattern[k], value[k], match) for k in pattern
            )
        if isinstance(value, Node):
            return False
        return self.ignore_literals or (type(pattern) is type(value) and pattern == value)


def _attribute(node: Node) -> Any:
    return type(node.graph.owning_module), node.target


def _paired(pattern: Node, node: Node) -> tuple[Any, Any, Any, Any]:
    """Arguments of both, by name where they are given in different ways."""
    if len(pattern.args) == len(node.args) and pattern.kwargs.keys() == node.kwargs.keys():
        return node.args, node.kwargs, pattern.args, pattern.kwargs
    own = pattern.normalized_arguments(pattern.graph.owning_module, None, None, True)
    other = node.normalized_arguments(node.graph.owning_module, None, None, True)
    if own is None or other is None:
        return node.args, node.kwargs, pattern.args, pattern.kwargs
    return (), other.kwargs, (), own.kwargs
