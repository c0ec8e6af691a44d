"""Methods, in-place forms and out= exist where PyTorch has them and equal the function."""

import pytest

import chainrule

from .harness import (
    Case,
    all_cases,
    as_array,
    assert_close,
    cases,
    gradients,
    is_tensor,
    run,
    tensor,
    weights,
)
from .recorded import recording
from .sample import called, flat, resolve

# Old names warn; what they compute is checked here.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:UserWarning")


def filled(case: Case, tensors):
    args, kwargs = case.sample.fill(tensors, lambda name: getattr(chainrule, name))
    if case.sample.feed is not None:
        args = case.sample.feed(*args)
    if hasattr(chainrule, "manual_seed"):
        chainrule.manual_seed(0)
    return args, kwargs


def has_method(case: Case) -> bool:
    entry = recording(case.family).index.get(case.key)
    return case.number == 0 and entry is not None and "method" in entry["forms"]


@pytest.mark.parametrize("case", list(filter(has_method, all_cases())), ids=lambda c: c.path)
def test_method(case: Case):
    args, kwargs = filled(case, [tensor(a) for a in case.sample.arrays()])
    view = case.sample.view or (lambda result: result)
    got = flat(view(getattr(args[0], case.path)(*args[1:], **kwargs)))
    expected = run(case, [tensor(a) for a in case.sample.arrays()])
    for want, have in zip(expected, got, strict=True):
        if not is_tensor(want):
            assert have == want
            continue
        assert have.dtype is want.dtype
        assert_close(as_array(have), as_array(want), 0, f"{case} as a method")


@pytest.mark.parametrize("case", cases("inplace"), ids=lambda c: c.key)
def test_in_place(case: Case):
    expected = called(chainrule, case.path, case.sample, [tensor(a) for a in case.sample.arrays()])
    args, kwargs = filled(case, [tensor(a) for a in case.sample.arrays()])
    x = args[0].clone()
    dtype = x.dtype
    version = x._version
    result = getattr(x, case.path + "_")(*args[1:], **kwargs)
    assert result is x
    assert x.dtype is dtype
    assert x._version > version
    assert_close(as_array(x), as_array(expected.to(dtype)), 1e-6, f"{case} in place")
    if case.wanted:
        check_in_place_gradient(case)


def functions_in_place():
    """Cases of functions such as `nn.functional.relu`, whose in-place form is a function too."""
    return [c for c in all_cases() if "." in c.path and c.number == 0 and _twin(c) is not None]


def _twin(case: Case):
    try:
        return resolve_function(case.path + "_")
    except AttributeError:
        return None


def resolve_function(path: str):
    found = chainrule
    for part in path.split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("case", functions_in_place(), ids=lambda c: c.path + "_")
def test_in_place_function(case: Case):
    expected = called(chainrule, case.path, case.sample, [tensor(a) for a in case.sample.arrays()])
    args, kwargs = filled(case, [tensor(a) for a in case.sample.arrays()])
    result = _twin(case)(*args, **kwargs)
    assert result is args[0]
    assert_close(as_array(args[0]), as_array(expected), 1e-12, f"{case.path}_")


def check_in_place_gradient(case: Case) -> None:
    _, expected = gradients(case, case.wanted)
    inputs = [tensor(a) for a in case.sample.arrays()]
    for i in case.wanted:
        inputs[i].requires_grad_()
    args, kwargs = filled(case, inputs)
    x = args[0] * 1  # a leaf may not be written while recording
    result = getattr(x, case.path + "_")(*args[1:], **kwargs)
    found = chainrule.autograd.grad(
        result, [inputs[i] for i in case.wanted], weights([result]), allow_unused=True
    )
    for i, want, have in zip(case.wanted, expected, found, strict=True):
        assert_close(
            as_array(have), as_array(want), 1e-9, f"{case} in place: gradient of input {i}"
        )


@pytest.mark.parametrize("case", cases("out"), ids=lambda c: c.key)
def test_out(case: Case):
    """out= is resized from empty, filled and returned; a tensor of the right shape is reused."""
    arrays = case.sample.arrays()
    result = called(chainrule, case.path, case.sample, [tensor(a) for a in arrays])
    expected = flat(result)
    one = is_tensor(result)
    for make in (lambda r: chainrule.empty(0, dtype=r.dtype), chainrule.empty_like):
        given = [make(r) for r in expected]
        args, kwargs = filled(case, [tensor(a) for a in arrays])
        returned = resolve(chainrule, case.path)(
            *args, **kwargs, out=given[0] if one else tuple(given)
        )
        for want, have, back in zip(expected, given, flat(returned), strict=True):
            assert back is have
            assert have.dtype is want.dtype
            assert_close(as_array(have), as_array(want), 0, f"{case} with out=")
