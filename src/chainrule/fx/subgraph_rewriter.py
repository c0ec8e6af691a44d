"""Replace parts of a graph that look like a pattern."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..autograd.accidents import explain_module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher


class Match(NamedTuple):
    """Where a pattern was found: its last node, and the nodes by those of the pattern."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A match, and the nodes that took its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace every occurrence of a pattern; both are functions or GraphModules.

    >>> import chainrule as torch
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.neg(torch.relu(x)) + 1)
    >>> found = replace_pattern(gm, lambda x: torch.neg(x), lambda x: x * -1)
    >>> len(found), gm(torch.tensor(2.0))
    (1, tensor(-1.))
    """
    done = _replace_pattern(gm, pattern, replacement)
    return [Match(anchor=m.anchor, nodes_map=m.nodes_map) for m in done]


def replace_pattern_with_filters(
    gm: GraphModule, pattern: Any, replacement: Any = None, match_filters: Any = None,
    ignore_literals: bool = False, replacement_callback: Callable[..., Any] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:  # fmt: skip
    """As `replace_pattern`, where all of the filters agree."""
    return _replace_pattern(
        gm, pattern, replacement, match_filters, ignore_literals, replacement_callback
    )


def _graph_of(value: Any) -> Graph:
    if isinstance(value, GraphModule):
        return value.graph
    if isinstance(value, Graph):
        return value
    return symbolic_trace(value).graph


def _replace_pattern(
    gm: GraphModule, pattern: Any, replacement: Any, match_filters: Any = None,
    ignore_literals: bool = False, replacement_callback: Any = None,
) -> list[ReplacedPatterns]:  # fmt: skip
    original, wanted = gm.graph, _graph_of(pattern)
    matcher = SubgraphMatcher(
        wanted, match_output=False, match_placeholder=False, remove_overlapping_matches=True,
        ignore_literals=ignore_literals,
    )  # fmt: skip
    matches = [
        m for m in matcher.match(original)
        if all(f(m, original, wanted) for f in match_filters or ())
    ]  # fmt: skip
    fixed = _graph_of(replacement) if replacement is not None else None
    if fixed is None and replacement_callback is None:
        raise AssertionError(
            "Must provide either a replacement GraphModule or a replacement callback"
        )
    done = []
    renamed: dict[Node, Node] = {}
    for match in matches:
        new = fixed if fixed is not None else replacement_callback(match, original, wanted)
        done.append(_replaced(gm, match, new, renamed))
    gm.recompile()
    if isinstance(replacement, GraphModule):
        _take_parts(gm, replacement)
    return done


def _placeholders(graph: Graph) -> list[Node]:
    return [n for n in graph.nodes if n.op == "placeholder"]


def _replaced(
    gm: GraphModule, match: InternalMatch, new: Graph, renamed: dict[Node, Node]
) -> ReplacedPatterns:
    original = gm.graph
    given = _placeholders(new)
    if len(match.placeholder_nodes) != len(given):
        raise AssertionError(
            f"the pattern has {len(match.placeholder_nodes)} inputs, the replacement {len(given)}"
        )
    values: dict[Node, Any] = {}
    for node, found in zip(given, match.placeholder_nodes, strict=True):
        values[node] = _latest(found, renamed)
    inner = [n for key, n in match.nodes_map.items() if key.op not in ("placeholder", "output")]
    first_user = _first_user(match, original, inner)
    with original.inserting_before(first_user):
        result = original.graph_copy(new, values)
    outs = result if isinstance(result, tuple | list) else (result,)
    if len(match.returning_nodes) != len(outs):
        raise AssertionError("the pattern and its replacement return different numbers of values")
    for old, fresh in zip(match.returning_nodes, outs, strict=True):
        if isinstance(fresh, Node):
            old.replace_all_uses_with(fresh)
            renamed[old] = fresh
    for node in reversed(list(original.nodes)):
        if node in inner and not node.users:
            original.erase_node(node)
    made = [v for k, v in values.items() if k.op not in ("placeholder", "output")]
    return ReplacedPatterns(match.anchors[0], match.nodes_map, made)


def _latest(found: Any, renamed: dict[Node, Node]) -> Any:
    while isinstance(found, Node) and found in renamed:
        found = renamed[found]
    return found


def _first_user(match: InternalMatch, graph: Graph, inner: list[Node]) -> Node:
    """Before which node the replacement goes: the first that takes what the pattern returned."""
    returned = set(match.returning_nodes)
    for node in graph.nodes:
        if node not in inner and any(n in returned for n in node.all_input_nodes):
            return node
    last = [n for n in graph.nodes if n in returned][-1]
    return last.next


def _take_parts(gm: GraphModule, replacement: GraphModule) -> None:
    """Give the module what the nodes of the replacement read and call."""
    from .graph_module import _copy_attr, _has_attr

    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or _has_attr(gm, node.target):
            continue
        if not _has_attr(replacement, node.target):
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target '
                f"{node.target}, but the referenced attribute does not exist in the replacement "
                "GraphModule"
            )
        _copy_attr(copy.deepcopy(replacement), gm, node.target)
    gm.graph.lint()


explain_module(globals())

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]
