"""Which nodes a backend takes: predicates over the nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..node import Node
from .tools_common import CALLABLE_NODE_OPS, get_node_target


class OperatorSupportBase:
    """Says of a node whether it is supported."""

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        """Whether the node is supported; to be written by a subclass."""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Supports the targets of a table, by the names of `get_node_target`."""

    def __init__(self, support_dict: Mapping[str, Any] | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        if node.op not in CALLABLE_NODE_OPS:
            return True
        return get_node_target(submodules, node) in self._support_dict


class _Asking(OperatorSupportBase):
    def __init__(self, ask: Callable[[Mapping[str, Any], Node], bool]) -> None:
        self.ask = ask

    def is_node_supported(self, submodules: Mapping[str, Any], node: Node) -> bool:
        return self.ask(submodules, node)


def create_op_support(is_node_supported: Callable[..., bool]) -> OperatorSupportBase:
    """An object for a function of (submodules, node)."""
    return _Asking(is_node_supported)


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Supported where all say so."""
    return _Asking(
        lambda modules, node: all(o.is_node_supported(modules, node) for o in op_support)
    )


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Supported where one says so."""
    return _Asking(
        lambda modules, node: any(o.is_node_supported(modules, node) for o in op_support)
    )
