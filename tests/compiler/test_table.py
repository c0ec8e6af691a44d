"""Every op of the public surface, with its gradients: compiled = eager."""

from pathlib import Path

import numpy as np
import pytest
from ops.harness import Case, all_cases, as_array, is_tensor, run, tensor, weights

import chainrule
from chainrule import ir
from chainrule.compiler.compiled_function import CompiledFunction
from chainrule.compiler.graph.op_table import lowering
from chainrule.ops.schema import TABLE

pytestmark = pytest.mark.jit

# Ops whose result depends on values in Python, or that give an argument a history, run eagerly.
REASONS = ("needs the value of a tensor", "changes requires_grad of a tensor that it was given")


def samples_by_op() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in all_cases():
        found.setdefault(case.path, []).append(case)
    return found


SAMPLES = samples_by_op()
FEW = 3  # samples of an op that run by default; `make test-slow` runs all


def values_and_gradients(case: Case):
    """The sample's results, and the gradients of their weighted sum."""

    def function(*tensors):
        outs = [o for o in run(case, list(tensors)) if is_tensor(o)]
        tracked = [(o, w) for o, w in zip(outs, weights(outs), strict=True) if o.requires_grad]
        inputs = [t for t in tensors if t.requires_grad]
        if not tracked or not inputs:
            return [o.detach() for o in outs]
        grads = chainrule.autograd.grad(
            [o for o, _ in tracked], inputs, [w for _, w in tracked], allow_unused=True
        )
        return [o.detach() for o in outs] + [g for g in grads if g is not None]

    return function


def inputs(case: Case, dtype: str | None):
    made = [tensor(a, dtype) for a in case.sample.arrays()]
    for i in case.wanted:
        if made[i].is_floating_point():
            made[i].requires_grad_()
    return made


@pytest.mark.filterwarnings("ignore::UserWarning")  # fallbacks, deprecated ops
@pytest.mark.parametrize("path", SAMPLES)
def test_compiled_equals_eager(path: str):
    for case in spread(SAMPLES[path]):
        check(case)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("path", [path for path, cases in SAMPLES.items() if len(cases) > FEW])
def test_compiled_equals_eager_in_every_sample(path: str):
    for case in SAMPLES[path]:
        check(case)


def spread(cases: list[Case]) -> list[Case]:
    """A few samples from the first to the last: every capture looks at the whole harness."""
    if len(cases) <= FEW:
        return cases
    return [cases[k * (len(cases) - 1) // (FEW - 1)] for k in range(FEW)]


def check(case: Case) -> None:
    function = values_and_gradients(case)
    dtype: str | None = "float32"
    try:
        want = function(*inputs(case, dtype))
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        dtype = None  # not for float32: the sample's own type
        want = function(*inputs(case, dtype))
    compiled = CompiledFunction(function)
    for _ in range(4):
        got = compiled(*inputs(case, dtype))
    (entry,) = compiled._entries.values()
    assert entry.runners or any(reason in entry.reason for reason in REASONS), entry.reason
    assert len(got) == len(want)
    for have, expected in zip(map(as_array, got), map(as_array, want), strict=True):
        assert (have.shape, have.dtype) == (expected.shape, expected.dtype)
        if expected.dtype.kind not in "fc":
            np.testing.assert_array_equal(have, expected)
            continue
        tolerance = 3e-5 if expected.dtype.itemsize <= 8 else 1e-10
        finite = expected[np.isfinite(expected)]
        scale = max(1.0, float(np.abs(finite).max(initial=0)))
        np.testing.assert_allclose(have, expected, rtol=tolerance, atol=tolerance * scale)


def test_no_op_loses_its_loops():
    """Ops that are called inside of plans are listed; what is not listed has loops of its own."""
    extern = {name for name in TABLE if lowering(name).tag == "extern"}
    listed = (Path(__file__).parent / "extern_ops.txt").read_text(encoding="utf-8").split()
    assert extern == set(listed)


def test_every_differentiable_elementwise_op_has_loops_or_says_why_not():
    silent = [
        name
        for name, op in TABLE.items()
        if op.batch == "elementwise" and op.broadcasts and op.differentiable and not op.random
        if op.lower is None
    ]
    assert silent == []
    reasons = [op.lower.why for op in TABLE.values() if isinstance(op.lower, ir.Extern)]
    assert all(reasons)
