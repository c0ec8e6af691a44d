"""Checks that a program is well formed: run after every pass when CHAINRULE_VERIFY is set."""

from __future__ import annotations

import os
from typing import Any

from .program import Graph, Instr, Value
from .types import infer


class GraphError(AssertionError):
    """The program is malformed: a pass or the tracer has a bug."""


def verifying() -> bool:
    """Whether the user wants every step to be checked."""
    return os.environ.get("CHAINRULE_VERIFY", "0") != "0"


def verify(graph: Graph, after: str = "") -> None:
    """Check that every value is defined once, before its use, with types that fit.

    Types are checked against `infer` for every op whose rule is known there, so a pass that
    rewires a value of another shape is caught at once.
    """
    where = f" after {after}" if after else ""
    defined: set[Value] = set(graph.inputs) | set(graph.constants)
    if len(defined) != len(graph.inputs) + len(graph.constants):
        raise GraphError(f"an input or constant is declared twice{where}")
    for v, array in graph.constants.items():
        if array.shape != v.shape or array.dtype != v.dtype:
            raise GraphError(f"constant {v.type} holds {array.dtype}{list(array.shape)}{where}")
    for instr in graph.instrs:
        for v in instr.values:
            if v not in defined:
                raise GraphError(f"{instr.op} reads a value ({v.type}) that is not there{where}")
        for v in instr.outputs:
            if v in defined:
                raise GraphError(f"{instr.op} defines a value ({v.type}) twice{where}")
            defined.add(v)
        _check_types(instr, infer(instr.op, instr.inputs, instr.params), where)
    for v in graph.results():
        if v not in defined:
            raise GraphError(f"a result ({v.type}) is never defined{where}")
    targets = [k for _, k in graph.writes]
    if len(set(targets)) != len(targets):
        raise GraphError(f"an input is written twice{where}")
    for v, k in graph.writes:
        target = graph.inputs[k]
        if (v.shape, v.dtype) != (target.shape, target.dtype):
            raise GraphError(f"write of {v.type} into input {k} of type {target.type}{where}")


def _check_types(instr: Instr, expected: Any, where: str) -> None:
    if expected is None:
        return
    found = [(v.shape, v.dtype) for v in instr.outputs]
    if found != expected:
        want = ", ".join(Value(*t).type for t in expected)
        have = ", ".join(v.type for v in instr.outputs)
        raise GraphError(f"{instr.op} gives {want}, the graph says {have}{where}")
