"""Large values that are cheap to make are made again instead of kept."""

import numpy as np
import pytest

from chainrule.compiler.graph.interpreter import interpret
from chainrule.compiler.graph.program import Graph
from chainrule.compiler.graph.types import emit
from chainrule.compiler.graph.verify import verify
from chainrule.compiler.passes import recompute
from chainrule.compiler.passes.recompute import compute_again
from chainrule.compiler.runtime import plan_cache
from chainrule.compiler.runtime.plan import Plan

from .programs import random_inputs
from .random_graphs import RandomGraph


def activations(layers: int = 4, returned: bool = False) -> Graph:
    """As a network: products and activations, read again in the opposite order."""
    g = Graph()
    x, w = g.input((128, 512), "f4"), g.input((512, 512), "f4")
    kept = []
    for _ in range(layers):
        z = emit(g, "mm", x, w)
        x = emit(g, "exp", z)
        kept.append((z, x))
    for _ in range(80):
        x = emit(g, "tanh", x)
    outputs = [x]
    for z, a in reversed(kept):
        gw = emit(g, "mm", emit(g, "transpose", a, perm=(1, 0)), x)
        x = emit(g, "mul", emit(g, "mm", x, w), z)
        outputs.append(emit(g, "reduce_sum", gw, axis=(0,), keepdims=False))
    g.outputs = [*outputs, x] + ([kept[0][1]] if returned else [])
    return g


def count(graph: Graph, op: str) -> int:
    return sum(i.op == op for i in graph.instrs)


def test_an_activation_is_made_from_its_argument_once_more():
    g = activations()
    made = compute_again(g)
    verify(made, "compute_again")
    assert count(made, "exp") > count(g, "exp")
    arrays = random_inputs(g)
    for have, want in zip(interpret(made, arrays), interpret(g, arrays), strict=True):
        np.testing.assert_array_equal(have, want)


@pytest.mark.jit
def test_it_takes_less_memory_and_gives_the_same_bits(monkeypatch):
    monkeypatch.setattr(plan_cache, "key_of", lambda *_: None)  # nothing out of the cache
    g = activations()
    less = Plan(g)
    size, calls = less.memory.size, len(less.schedule.calls)
    monkeypatch.setattr(recompute, "_LARGE", 1 << 40)
    more = Plan(g)
    assert size < 0.8 * more.memory.size
    assert calls <= len(more.schedule.calls)
    arrays = random_inputs(g)
    for have, want in zip(less.run(arrays), more.run(arrays), strict=True):
        np.testing.assert_array_equal(have, want)


def test_results_stay_in_memory_anyway():
    extra = count(compute_again(activations()), "exp")
    assert count(compute_again(activations(returned=True)), "exp") == extra - 1


def test_what_is_near_is_kept(monkeypatch):
    g = activations(layers=1)
    monkeypatch.setattr(recompute, "_FAR", 100)  # 80 instructions are in between
    assert compute_again(g) is g


def test_what_nothing_keeps_alive_is_not_made_again():
    g = Graph()
    x, w = g.input((128, 512), "f4"), g.input((512, 512), "f4")
    a = emit(g, "relu", emit(g, "mm", x, w))  # nobody reads the product late
    y = a
    for _ in range(80):
        y = emit(g, "add", y, 0.001)
    g.outputs = [emit(g, "mul", y, a)]
    assert compute_again(g) is g


@pytest.mark.jit
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed, monkeypatch):
    for name, value in (("_LARGE", 1), ("_FAR", 2), ("_NEAR", 1000)):
        monkeypatch.setattr(recompute, name, value)
    program = RandomGraph(seed, length=20 + seed % 20)
    tolerance = 2e-4 if program.dtype == "f4" else 1e-10
    mine, theirs = program.arrays(seed), program.arrays(seed)
    got, want = Plan(program.graph).run(mine), interpret(program.graph, theirs)
    for have, expected in zip([*got, *mine], [*want, *theirs], strict=True):
        scale = float(np.nanmax(np.abs(expected), initial=1))
        np.testing.assert_allclose(have, expected, rtol=tolerance, atol=tolerance * scale)
