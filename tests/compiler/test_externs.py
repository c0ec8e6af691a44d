"""Extern steps: cheap to reach, and their results stay what they were."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.compiler.graph.program import Graph, Value
from chainrule.compiler.graph.types import emit
from chainrule.compiler.loops.calls import ExternCall
from chainrule.compiler.loops.schedule import Schedule
from chainrule.compiler.passes import optimise
from chainrule.compiler.runtime.externs import ExternStep
from chainrule.compiler.runtime.plan import Plan

pytestmark = pytest.mark.jit


def mantissas() -> Graph:
    """`frexp` has two results and no loop: it reads a temporary, and two loops surround it."""
    g = Graph()
    x = g.input((4, 6), "f4")
    mantissa, exponent = Value((4, 6), np.dtype("f4")), Value((4, 6), np.dtype("i4"))
    g.append("frexp", (emit(g, "mul", x, 2.0),), {}, [mantissa, exponent])
    g.outputs = [emit(g, "add", mantissa, x)]
    return g


def test_arrays_over_memory_that_stays_are_made_once():
    plan = Plan(mantissas())
    (step,) = [s for s in plan.steps if isinstance(s, ExternStep)]
    x = np.random.default_rng(0).standard_normal((4, 6)).astype("f4")
    seen = []
    for _ in range(3):
        (result,) = plan.run([x])
        np.testing.assert_array_equal(result, np.frexp(x * 2)[0] + x)
        seen.append(plan._frames[-1].known[step][0][1])
    assert seen[0] is seen[1] is seen[2]


def test_other_inputs_are_other_operands():
    g = Graph()
    x = g.input((7,), "f4")
    total = Value((7,), np.dtype("f4"))
    g.append("cumsum", (x,), {"axis": 0, "reverse": False}, [total])
    g.outputs = [total]
    plan = Plan(g)
    for seed in range(5):
        given = np.random.default_rng(seed).standard_normal(7).astype("f4")
        np.testing.assert_array_equal(
            plan.run([given])[0], np.cumsum(given, dtype="f8").astype("f4")
        )


def test_results_that_nothing_reads_are_not_kept():
    (call,) = [c for c in Schedule(optimise(mantissas())).calls if isinstance(c, ExternCall)]
    assert [view is None for view in call.results] == [False, True]


def test_results_of_earlier_calls_are_not_overwritten():
    @torch.compile(fullgraph=True)
    def both(x):
        y = torch.sort(x * 2).values
        return y, y.flip(0)

    inputs = [torch.randn(9) for _ in range(6)]
    results = [both(x) for x in inputs]
    for x, (up, down) in zip(inputs, results, strict=True):
        want = torch.sort(x * 2).values
        assert up.equal(want) and down.equal(want.flip(0))
