"""Hand-built graphs for the tests of passes, fusion and code generation."""

from __future__ import annotations

import numpy as np

from chainrule.compiler.graph.interpreter import interpret
from chainrule.compiler.graph.program import Graph, Value
from chainrule.compiler.graph.types import emit
from chainrule.compiler.runtime.plan import Plan


def layer_step() -> Graph:
    """A dense layer with relu, the sum of its output, its gradient, and an SGD update."""
    g = Graph()
    x, w, b = g.input((4, 3), "f4", "x"), g.input((5, 3), "f4", "w"), g.input((5,), "f4", "b")
    z = emit(g, "add", emit(g, "matmul", x, emit(g, "transpose", w, perm=(1, 0))), b)
    h = emit(g, "relu", z)
    loss = emit(g, "reduce_sum", h, axis=(0, 1), keepdims=False)
    one = emit(g, "reshape", g.constant(np.ones((), "f4")), shape=(1, 1))
    spread = emit(g, "broadcast_to", one, shape=(4, 5))
    dz = emit(g, "where", emit(g, "gt", h, 0), spread, 0.0)
    db = emit(g, "reduce_sum", dz, axis=(0,), keepdims=False)
    dwt = emit(g, "matmul", emit(g, "transpose", x, perm=(1, 0)), dz)
    dw = emit(g, "transpose", dwt, perm=(1, 0))
    g.write(emit(g, "sub", w, emit(g, "mul", dw, 0.1)), w)
    g.write(emit(g, "sub", b, emit(g, "mul", db, 0.1)), b)
    g.outputs = [loss]
    return g


def softmax_rows() -> Graph:
    """A composite op that becomes one loop of three phases."""
    g = Graph()
    x = g.input((6, 40), "f4", "x")
    out = Value(x.shape, x.dtype)
    g.append("softmax", [x], {"axis": 1}, [out])
    g.outputs = [out]
    return g


def random_inputs(graph: Graph, seed: int = 0) -> list[np.ndarray]:
    """Normal numbers for every input."""
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(v.shape).astype(v.dtype) for v in graph.inputs]


def assert_same_as_interpreted(graph: Graph, arrays: list[np.ndarray], rtol: float) -> Plan:
    """Run compiled and interpreted: outputs and written inputs agree. Gives the plan."""
    plan = Plan(graph)
    mine, theirs = [a.copy() for a in arrays], [a.copy() for a in arrays]
    got, want = plan.run(mine), interpret(graph, theirs)
    for have, expected in zip([*got, *mine], [*want, *theirs], strict=True):
        assert have.shape == expected.shape and have.dtype == expected.dtype
        scale = max(1.0, float(np.nanmax(np.abs(expected.astype("f8")), initial=0)))
        np.testing.assert_allclose(have, expected, rtol=rtol, atol=rtol * scale)
    return plan
