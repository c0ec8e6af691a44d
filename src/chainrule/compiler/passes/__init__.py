"""Rewrites of a program that leave its meaning unchanged. `PIPELINE` is their order.

`optimise` runs them; with CHAINRULE_VERIFY=1 the program is checked after each.
"""

from __future__ import annotations

from collections.abc import Callable

from ..graph.program import Graph
from ..graph.verify import verify, verifying
from .algebra import simplify
from .cse import merge_duplicates
from .dce import drop_dead
from .expand import expand
from .fold import fold_constants
from .fold_transposes import fold_transposes
from .half_products import narrow_products
from .layout import settle_layout
from .point_convolutions import multiply_points
from .recompute import compute_again
from .reshapes import sink_reshapes
from .transposes import raise_transposes
from .widen import widen_halves

PIPELINE = (
    widen_halves,
    multiply_points,
    expand,
    fold_constants,
    simplify,
    merge_duplicates,
    fold_constants,
    simplify,
    sink_reshapes,
    drop_dead,
    raise_transposes,
    fold_transposes,
    narrow_products,
    drop_dead,
    compute_again,
    settle_layout,
)


def optimise(graph: Graph, log: Callable[[str, Graph], None] | None = None) -> Graph:
    """Run all passes; the verifier runs at the end, with CHAINRULE_VERIFY=1 after each."""
    every = verifying()
    for step in PIPELINE:
        graph = step(graph)
        if every or step is PIPELINE[-1]:
            verify(graph, step.__name__)
        if log:
            log(step.__name__, graph)
    return graph
