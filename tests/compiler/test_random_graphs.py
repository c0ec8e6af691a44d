"""Random programs: machine code = interpreter, for outputs and for written inputs."""

import numpy as np
import pytest

from chainrule.compiler.graph.interpreter import interpret
from chainrule.compiler.runtime.plan import Plan

from .random_graphs import RandomGraph

pytestmark = pytest.mark.jit


@pytest.mark.parametrize("seed", range(60))
def test_compiled_equals_interpreted(seed):
    check(RandomGraph(seed, length=4 + seed % 20), seed)


@pytest.mark.parametrize("seed", range(60))
def test_rows_by_number_in_loops(seed):
    check(RandomGraph(seed, length=3 + seed % 12, indexed=True), seed)


def check(program, seed):
    plan = Plan(program.graph)
    tolerance = 2e-4 if program.dtype == "f4" else 1e-10
    for repeat in range(2):
        mine, theirs = program.arrays(seed + repeat), program.arrays(seed + repeat)
        got, want = plan.run(mine), interpret(program.graph, theirs)
        for have, expected in zip([*got, *mine], [*want, *theirs], strict=True):
            scale = float(np.nanmax(np.abs(expected), initial=1))
            np.testing.assert_allclose(
                have, expected, rtol=tolerance, atol=tolerance * scale, err_msg=str(program.graph)
            )
