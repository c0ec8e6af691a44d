"""A fused rule on arrays gives what its twin written in ops gives.

A first-order backward pass runs the rules on arrays, `create_graph=True` runs them on tensors,
where an op with a fused `joint` rule uses its `plain_joint`.
"""

import pytest

from chainrule.ops import TABLE

from .harness import Case, as_array, assert_close, cases, gradients

FUSED = [case for case in cases("vjp") if case.family.startswith("nn")]


@pytest.mark.parametrize("case", FUSED, ids=lambda c: c.key)
def test_gradients_on_arrays_and_on_tensors_agree(case: Case):
    _, fused = gradients(case, case.wanted)
    _, plain = gradients(case, case.wanted, create_graph=True)
    for i, a, b in zip(case.wanted, fused, plain, strict=True):
        if a is not None and b is not None:
            assert_close(as_array(a), as_array(b.detach()), 1e-9, f"{case}: gradient of input {i}")


def test_some_ops_have_fused_rules():
    fused = {name for name, op in TABLE.items() if op.plain_joint is not None}
    assert {"layer_norm", "cross_entropy", "attention", "gelu", "max_pool2d"} <= fused
