"""Where PyTorch keeps the decorators of its tracer."""

from __future__ import annotations

from . import (
    allow_in_graph,
    assume_constant_result,
    disable,
    disallow_in_graph,
    forbid_in_graph,
    graph_break,
    mark_dynamic,
    mark_static,
    mark_static_address,
    maybe_mark_dynamic,
    run,
    set_stance,
    substitute_in_graph,
)

__all__ = [
    "allow_in_graph", "assume_constant_result", "disable", "disallow_in_graph", "forbid_in_graph",
    "graph_break", "mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic",
    "run", "set_stance", "substitute_in_graph",
]  # fmt: skip
