"""Every rule against finite differences and against PyTorch's recorded gradients."""

import copy

import numpy as np
import pytest

import chainrule

from .harness import (
    Case,
    as_array,
    assert_close,
    cases,
    close,
    direction,
    explain_gradient,
    gradients,
    inner,
    is_tensor,
    run,
    slope,
    tensor,
    tracked_results,
    values,
    weighted,
)
from .recorded import recording
from .sample import dtype

# Old names warn; what they compute is checked here.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:UserWarning")


@pytest.mark.parametrize("case", cases("vjp"), ids=lambda c: c.key)
def test_vjp(case: Case):
    _, found = gradients(case, case.wanted)
    lost = [i for i, g in zip(case.wanted, found, strict=True) if g is None]
    assert not lost, f"{case}: PyTorch has a gradient of inputs {lost}, here it is None"
    if not case.sample.is_kink:
        compare_with_differences(case, found)
    if "recorded_gradient" in case.sample.excluded:
        return
    pieces = [g for g in case.record["grads"] if g is not None]
    for i, grad, piece in zip(case.wanted, found, pieces, strict=True):
        assert_close(as_array(grad), case.recorded(piece), max(1e-8, case.sample.rtol),
                     f"{case}: gradient of input {i}")  # fmt: skip


def compare_with_differences(case: Case, found) -> None:
    kept = tracked_results(case)
    along = direction(case, case.wanted, 0)
    mine = sum(inner(along[i], as_array(g)) for i, g in zip(case.wanted, found, strict=True))
    numeric = slope(weighted(case, kept), case, along)
    rtol = case.sample.derivative_rtol
    assert close(mine, numeric, rtol), explain_gradient(case, found, kept)


def narrow_cases():
    return [
        pytest.param(case, name, id=f"{case.key}-{name}")
        for case in cases("vjp")
        for name in ("float32", "bfloat16")
        if name in recording(case.family).index.get(case.key, {}).get("dtypes", ())
        and all(a.dtype.char != "D" for a in case.sample.arrays())
    ]


@pytest.mark.parametrize(("case", "name"), narrow_cases())
def test_gradient_keeps_type(case: Case, name: str):
    """In single and half precision a gradient has its input's type and about the same value."""
    _, found = gradients(case, case.wanted, name=name)
    pieces = [g for g in case.record["grads"] if g is not None]
    for i, grad, piece in zip(case.wanted, found, pieces, strict=True):
        if grad is None:
            continue
        assert grad.dtype.name == name, f"{case}: gradient of input {i} is {grad.dtype.name}"
        if name == "float32" and not {"recorded_gradient", *LOOSE} & set(case.sample.excluded):
            loose = max(2e-3, case.sample.rtol)
            assert_close(as_array(grad), case.recorded(piece), loose, f"{case} in float32: {i}")


LOOSE = ("dtypes",)  # samples whose results in other types are not comparable


@pytest.mark.parametrize("case", cases("mask"), ids=lambda c: c.key)
def test_each_input_alone(case: Case):
    """A gradient does not depend on which other inputs want one."""
    if len(case.wanted) == 1:
        return
    _, together = gradients(case, case.wanted)
    for i, expected in zip(case.wanted, together, strict=True):
        _, (alone,) = gradients(case, [i])
        assert_close(as_array(alone), as_array(expected), 1e-12, f"{case}: input {i} alone")


@pytest.mark.parametrize("case", cases("jvp"), ids=lambda c: c.key)
def test_jvp(case: Case):
    along = direction(case, case.wanted, 1)
    fixed = [tensor(a) for a in case.sample.arrays()]
    kept = tracked_results(case)

    def function(*inputs):
        given = list(fixed)
        for i, x in zip(case.wanted, inputs, strict=True):
            given[i] = x
        outs = [o for o in run(case, given) if is_tensor(o)]
        return tuple(outs[k] for k in kept)

    primals = tuple(fixed[i] for i in case.wanted)
    tangents = tuple(tensor(along[i]) for i in case.wanted)
    outs, found = chainrule.func.jvp(function, primals, tangents)
    for k, (out, tangent) in enumerate(zip(outs, found, strict=True)):
        numeric = slope(lambda arrays, k=kept[k]: values(case, arrays)[k], case, along)
        assert tuple(tangent.shape) == tuple(out.shape)
        assert_close(as_array(tangent), np.asarray(numeric), case.sample.derivative_rtol,
                     f"{case}: tangent of result {kept[k]}")  # fmt: skip


@pytest.mark.parametrize("case", cases("second"), ids=lambda c: c.key)
def test_second_order(case: Case):
    """The gradient of a random projection of the gradient."""
    across = direction(case, case.wanted, 2)
    along = direction(case, case.wanted, 3)
    inputs, first = gradients(case, case.wanted, create_graph=True)
    projected = [
        real_sum(g * tensor(across[i].conj()))
        for i, g in zip(case.wanted, first, strict=True)
        if g is not None and g.requires_grad
    ]
    mine = 0.0
    if projected:
        total = sum(projected[1:], projected[0])
        second = chainrule.autograd.grad(total, [inputs[i] for i in case.wanted], allow_unused=True)
        mine = sum(
            inner(along[i], as_array(g))
            for i, g in zip(case.wanted, second, strict=True)
            if g is not None
        )

    def projection(arrays):
        moved = _with_arrays(case, arrays)
        _, grads = gradients(moved, case.wanted)
        return sum(inner(across[i], as_array(g)) for i, g in zip(case.wanted, grads, strict=True))

    numeric = slope(projection, case, along)
    assert close(mine, numeric, case.sample.derivative_rtol), (
        f"{case}: second derivative {mine:.9g}, difference quotient of the gradient {numeric:.9g}"
    )


def real_sum(t):
    return t.real.sum() if t.is_complex() else t.sum()


def _with_arrays(case: Case, arrays):
    """The case with other input arrays."""
    sample = copy.copy(case.sample)
    sample.args, sample.kwargs = case.sample.fill(list(arrays), dtype)
    return Case(case.family, case.path, case.number, sample)
