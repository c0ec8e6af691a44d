"""The interpreter: runs a graph with each op's NumPy forward; the oracle for code generation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from .op_table import lookup
from .program import Graph, Instr, Value


def interpret(graph: Graph, arrays: Sequence[Any]) -> list[Any]:
    """Run the graph on these inputs, write what it writes, and return fresh outputs."""
    env: dict[Value, Any] = dict(zip(graph.inputs, arrays, strict=True))
    env.update(graph.constants)
    with np.errstate(all="ignore"):
        for instr in graph.instrs:
            env.update(zip(instr.outputs, run_instr(instr, env), strict=True))
    outputs = [np.array(env[v], order="C") if isinstance(v, Value) else v for v in graph.outputs]
    # All values are taken before the first write: one written value may be another's old input.
    written = [np.array(env[v]) for v, _ in graph.writes]
    for (_, k), value in zip(graph.writes, written, strict=True):
        arrays[k][...] = value
    return outputs


def run_instr(instr: Instr, env: dict[Value, Any]) -> list[np.ndarray]:
    """The results of one instruction, checked against the types the graph states."""
    operands = [env[x] if isinstance(x, Value) else x for x in instr.inputs]
    result = lookup(instr.op).forward(*operands, **instr.params)
    several = isinstance(result, tuple | list)
    results = cast("Sequence[Any]", result if several else (result,))
    arrays: list[np.ndarray] = [np.asarray(r) for r in results]
    for array, value in zip(arrays, instr.outputs, strict=True):
        if array.shape != value.shape or array.dtype != value.dtype:
            raise AssertionError(
                f"{instr.op} returned {array.dtype}{list(array.shape)}, "
                f"the graph was traced with {value.type}"
            )
    return arrays
