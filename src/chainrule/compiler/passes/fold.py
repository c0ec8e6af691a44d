"""What depends on constants alone is computed once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph.interpreter import run_instr
from ..graph.op_table import lookup
from ..graph.program import Graph, Instr
from ..graph.rewriter import Rewriter

# Larger results of constant expressions are computed in every call rather than kept in memory.
_FOLD_LIMIT = 1 << 16


def fold_constants(graph: Graph) -> Graph:
    """Compute now what depends on constants only."""
    return Rewriter(graph).run(_fold)


def _fold(r: Rewriter, instr: Instr) -> Any:
    constants = r.graph.constants
    if len(instr.outputs) != 1 or instr.outputs[0].size > _FOLD_LIMIT or instr.op == "iota":
        return None
    if lookup(instr.op).random:
        return None
    if any(x not in constants for x in instr.values):
        return None
    with np.errstate(all="ignore"):
        (result,) = run_instr(instr, dict(constants))
    return r.graph.constant(np.array(result))
