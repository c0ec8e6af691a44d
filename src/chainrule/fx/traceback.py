"""What nodes remember of where they came from."""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any

_current: dict[str, Any] = {}
_replay: list[Any] = [None]
_preserved = [False]


class NodeSourceAction(enum.Enum):
    """What a pass did to make a node of another."""

    CREATE = "create"
    REPLACE = "replace"


class NodeSource:
    """From which node, in which pass and how a node was made."""

    def __init__(self, node: Any, pass_name: str = "", action: Any = None) -> None:
        self.pass_name = pass_name
        self.action = [action] if isinstance(action, NodeSourceAction) else list(action or [])
        self.name = node.name if node is not None else ""
        self.target = str(node._pretty_print_target(node.target)) if node is not None else ""
        self.graph_id = id(node.graph) if node is not None else -1
        self.from_node = copy.copy(node.meta.get("from_node", [])) if node is not None else []

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "name": self.name, "target": self.target, "graph_id": self.graph_id,
            "pass_name": self.pass_name, "action": [a.value for a in self.action],
            "from_node": [s.to_dict() for s in self.from_node],
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"(name={self.name}, pass_name={self.pass_name}, action={self.action})"


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Inside, nodes made while another is replayed take over its `meta`."""
    before, saved = _preserved[0], dict(_current)
    _preserved[0] = enable
    try:
        yield
    finally:
        _preserved[0] = before
        _current.clear()
        _current.update(saved)


def has_preserved_node_meta() -> bool:
    """Whether `preserve_node_meta` is active."""
    return _preserved[0]


@contextlib.contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """Inside, the meta of this node is the current one, where it is preserved."""
    if not _preserved[0] or not node.meta:
        yield
        return
    saved = dict(_current)
    try:
        _current.clear()
        _current.update(node.meta)
        _current["from_node"] = [NodeSource(node, pass_name, NodeSourceAction.CREATE)]
        yield
    finally:
        _current.clear()
        _current.update(saved)


def get_current_meta() -> dict[str, Any]:
    """The meta that new nodes take over."""
    return _current


def set_stack_trace(stack: list[str]) -> None:
    """Say where new nodes come from, where meta is preserved."""
    if _preserved[0] and stack:
        _current["stack_trace"] = "".join(stack)


def set_grad_fn_seq_nr(seq_nr: int) -> None:
    """Number the backward node that new nodes belong to."""
    if _preserved[0]:
        _current["grad_fn_seq_nr"] = [*_current.get("grad_fn_seq_nr", []), seq_nr]
        _current["in_grad_fn"] = _current.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr() -> None:
    """Leave the backward node."""
    if _preserved[0] and _current.get("in_grad_fn", 0) > 0:
        _current["in_grad_fn"] -= 1
        _current["grad_fn_seq_nr"] = _current["grad_fn_seq_nr"][:-1]


def format_stack() -> list[str]:
    """The stack trace of the current meta, or Python's own."""
    if _preserved[0]:
        return [_current.get("stack_trace", "")]
    import traceback

    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def set_current_replay_node(node: Any) -> Iterator[None]:
    """Inside, this node is the one being replayed."""
    before = _replay[0]
    _replay[0] = node
    try:
        yield
    finally:
        _replay[0] = before


def get_current_replay_node() -> Any:
    """The node being replayed, or None."""
    return _replay[0]


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Inside, new nodes carry the annotation in `meta["custom"]`, where meta is preserved."""
    saved = _current.get("custom")
    _current["custom"] = {**(saved or {}), **annotation_dict}
    try:
        yield
    finally:
        if saved is None:
            _current.pop("custom", None)
        else:
            _current["custom"] = saved


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[..., Any]:
    """`annotate` around a function."""

    def around(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return inside

    return around


def get_graph_provenance_json(graph: Any) -> dict[str, Any]:
    """Which nodes each node came from, as plain data."""
    return {
        n.name: [s.to_dict() for s in n.meta.get("from_node", [])]
        for n in graph.nodes
        if n.op == "call_function"
    }


__all__ = [
    "NodeSource", "NodeSourceAction", "annotate", "annotate_fn", "format_stack",
    "get_current_meta", "get_current_replay_node", "get_graph_provenance_json",
    "has_preserved_node_meta", "preserve_node_meta", "reset_grad_fn_seq_nr", "set_current_meta",
    "set_current_replay_node", "set_grad_fn_seq_nr", "set_stack_trace",
]  # fmt: skip
