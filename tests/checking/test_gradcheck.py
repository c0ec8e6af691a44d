"""gradcheck and gradgradcheck: they pass what is right, and say what is wrong and where."""

import inspect

import pytest

import chainrule as torch
from chainrule.autograd import gradcheck, gradgradcheck
from chainrule.autograd.gradcheck import GradcheckError

from .wrong_functions import (
    DetachedCube,
    FailsOnNone,
    ForgetsConjugate,
    IgnoresWeights,
    InventsForNone,
    LeavesTensors,
    NoisyDouble,
    TripledSquare,
    WrongTangent,
)


def leaf(*shape, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype).requires_grad_()


@pytest.fixture
def x():
    return torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)


@pytest.fixture
def z():
    return torch.tensor([1 + 2j, 3.0], dtype=torch.complex128, requires_grad=True)


RIGHT = {
    "matmul": (lambda a, b: a @ b, lambda: (leaf(3, 4), leaf(4, 2))),
    "softmax": (lambda x: torch.softmax(x, -1), lambda: (leaf(3, 4),)),
    "complex": (lambda z: z * z.conj() + torch.exp(z), lambda: (leaf(3, dtype=torch.complex128),)),
    "complex to real": (torch.abs, lambda: (leaf(3, dtype=torch.complex128),)),
    "real to complex": (lambda x: torch.complex(x, 2 * x) ** 2, lambda: (leaf(3),)),
    "several outputs": (lambda x, y: (x * y.sum(), y.exp(), x > 0), lambda: (leaf(3), leaf(2))),
    "view in place": (lambda x: x.clone().t().mul_(2).sin(), lambda: (leaf(2, 3),)),
    "scalars": (lambda x, y: x * y, lambda: (leaf(), leaf())),
    "empty": (lambda x: x * 2, lambda: (leaf(0),)),
    "not a leaf": (lambda x: x.sin(), lambda: (leaf(3) * 2,)),
    "returns its input": (lambda x: [x, x * 2], lambda: [leaf(2)]),
    "constant argument": (lambda x, n: x * n, lambda: (leaf(2), 3)),
}


@pytest.mark.parametrize("fast", [False, True], ids=["slow", "fast"])
@pytest.mark.parametrize("name", RIGHT)
def test_right_gradients_pass_in_every_mode(name, fast):
    f, make = RIGHT[name]
    inputs = make()
    assert gradcheck(
        f, inputs, fast_mode=fast, check_forward_ad=True, check_batched_grad=True,
        check_batched_forward_grad=True, check_grad_dtypes=True,
    )  # fmt: skip
    assert gradgradcheck(f, inputs, fast_mode=fast, check_fwd_over_rev=True)


def test_inputs_used_by_closure_are_checked_too():
    w = leaf(3)
    assert gradcheck(lambda *_: w * w, (w,))
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(lambda *_: TripledSquare.apply(w), (w,))


def test_inputs_keep_their_values(x):
    before = x.tolist()
    gradcheck(torch.sin, (x,))
    with pytest.raises(ZeroDivisionError):
        gradcheck(lambda x: x.sin() if x[0] == 1 else 1 / 0, (x,))
    assert x.tolist() == before


# ---- reports -----------------------------------------------------------------------------------


def failure(check, f, inputs, **options) -> str:
    with pytest.raises(GradcheckError) as caught:
        check(f, inputs, **options)
    assert check(f, inputs, raise_exception=False, **options) is False
    return str(caught.value)


def test_a_wrong_backward_is_reported_with_its_worst_entry_and_op(x):
    def model(x):
        hidden = x.sin() + 2
        return TripledSquare.apply(hidden) * 5

    text = failure(gradcheck, model, (x,))
    assert text.startswith("Jacobian mismatch for output 0 with respect to input 0,\nnumerical:")
    assert "worst entry: d output 0[0] / d input 0[0]\n" in text
    # 5 * 2 (sin 1 + 2) cos 1, and half as much again
    assert "numerical   15.352" in text
    assert "analytical  23.028" in text
    assert "2 of 4 entries are wrong" in text
    assert "allowed 0.0154 (atol 1e-05 + rtol 0.001 * |numerical|)" in text
    assert text.count("suspect:") == 1
    assert "suspect: TripledSquareBackward, recorded at test_gradcheck.py:" in text
    assert "in model: return TripledSquare.apply(hidden) * 5" in text
    assert "checked alone: d output 0[1] / d argument 0[1] is 8.727" in text
    assert "finite differences of its forward give 5.81" in text


def test_entries_are_named_by_their_place_in_the_tensors():
    w = torch.zeros(2, 3, dtype=torch.float64)
    w[1, 2] = 4.0
    w.requires_grad_()
    text = failure(gradcheck, TripledSquare.apply, (w,))
    assert "worst entry: d output 0[1, 2] / d input 0[1, 2]" in text


def test_fast_mode_fails_alike_and_explains_slowly(x):
    text = failure(gradcheck, TripledSquare.apply, (x,), fast_mode=True)
    assert "Jacobian mismatch for output 0 with respect to input 0" in text
    assert "computed in fast mode" in text
    assert "worst entry: d output 0[1] / d input 0[1]" in text
    assert "suspect: TripledSquareBackward" in text


@pytest.mark.parametrize("fast", [False, True])
def test_a_wrong_jvp_is_reported_as_forward_mode(x, fast):
    assert gradcheck(WrongTangent.apply, (x,), fast_mode=fast)
    text = failure(gradcheck, WrongTangent.apply, (x,), fast_mode=fast, check_forward_ad=True)
    assert (
        "Jacobian computed with forward mode mismatch for output 0 with respect to input 0" in text
    )
    assert "suspect: WrongTangentBackward" in text


@pytest.mark.parametrize("fast", [False, True])
def test_a_complex_failure_names_the_part(z, fast):
    text = failure(gradcheck, ForgetsConjugate.apply, (z,), fast_mode=fast)
    assert text.startswith(
        "While considering the imaginary part of complex outputs only, Jacobian mismatch for "
        "output 0 with respect to input 0"
    )
    assert "numerical   (4+2j)" in text
    assert "analytical  (-4+2j)" in text


@pytest.mark.parametrize("fast", [False, True])
def test_second_derivatives_that_are_cut_off_are_found(x, fast):
    assert gradcheck(DetachedCube.apply, (x,))
    text = failure(gradgradcheck, DetachedCube.apply, (x,), fast_mode=fast)
    assert "Jacobian mismatch for output 0 with respect to input 0" in text
    assert "suspect: DetachedCubeBackward" in text
    assert "computed without a history: detach()" in text


def test_a_path_the_tape_does_not_see_is_told_from_a_wrong_op(x):
    text = failure(gradcheck, lambda x: x * x.detach(), (x,))
    assert "suspect: no single operation; each passes its own check (MulBackward0)" in text
    assert "detach(), .data, .item()" in text


def test_a_kink_is_told_from_a_wrong_gradient():
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    text = failure(gradcheck, torch.relu, (x,))
    assert "the function has a kink at this point: its slope is 0 from the left and 1 from" in text
    assert "suspect" not in text


def test_a_jump_is_told_from_a_kink(x):
    text = failure(gradcheck, lambda x: x * 0 + (x > 1).double(), (x,))
    assert "the function has a jump of about 1 at this point" in text


def test_single_precision_is_warned_of_and_named_as_the_reason():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.warns(
        UserWarning, match="Input #0 requires gradient and is not a double precision"
    ):
        text = failure(gradcheck, torch.sin, (x,))
    assert "reason: the input is torch.float32" in text


def test_outputs_without_history_must_not_depend_on_the_inputs(x):
    text = failure(gradcheck, lambda x: x.detach().sin(), (x,))
    assert text.startswith("Numerical gradient for function expected to be zero")
    assert "is 0.5403" in text
    assert gradcheck(lambda x: torch.zeros(3), (x,))


def test_backward_must_scale_with_its_weights(x):
    text = failure(gradcheck, lambda x: IgnoresWeights.apply(x).sum(), (x,))
    assert text.startswith("backward not multiplied by grad_output")


def test_backward_must_be_the_same_each_time(x):
    text = failure(gradcheck, NoisyDouble.apply, (x,))
    assert text.startswith("Backward is not reentrant")
    assert "nondet_tol=" in text
    assert gradcheck(NoisyDouble.apply, (x,), nondet_tol=1.0)


def test_backward_must_take_undefined_gradients(x):
    text = failure(gradcheck, FailsOnNone.apply, (x,))
    assert "Expected backward function to handle undefined output grads" in text
    assert "FailsOnNoneBackward.backward(ctx, None) raised TypeError" in text
    assert gradcheck(FailsOnNone.apply, (x,), check_undefined_grad=False)
    text = failure(gradcheck, InventsForNone.apply, (x,))
    assert "Expected all input grads to be undefined or zero" in text


def test_backward_must_be_batchable_when_asked(x):
    assert gradcheck(LeavesTensors.apply, (x,))
    text = failure(gradcheck, LeavesTensors.apply, (x,), check_batched_grad=True)
    assert text.startswith("While computing batched gradients, got:")
    assert "failed while testing batched gradient computation" in text


# ---- arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("check", "options", "phrase"),
    [
        (gradcheck, {"check_backward_ad": False},
         "Expected at least one of check_forward_ad or check_backward_ad to be True"),
        (gradcheck, {"check_backward_ad": False, "check_forward_ad": True,
                     "check_batched_grad": True},
         "Setting check_batched_grad=True requires check_backward_ad to be True"),
        (gradcheck, {"check_batched_forward_grad": True},
         "Setting check_batched_forward_grad=True requires check_forward_ad to be True"),
        (gradgradcheck, {"check_rev_over_rev": False},
         "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True"),
    ],
)  # fmt: skip
def test_options_that_exclude_each_other_are_refused(check, options, phrase, x):
    with pytest.raises(AssertionError, match=phrase):
        check(torch.sin, (x,), **options)


def test_inputs_must_require_grad_and_own_their_entries(x):
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(torch.sin, (x.detach(),))
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(torch.sin, (x.detach()[:1].expand(3).requires_grad_(),))
    with pytest.raises(TypeError, match=r"output 1 of the function is 3\.0 of type float"):
        gradcheck(lambda x: (x, 3.0), (x,))


def test_weights_of_a_second_order_check_may_be_given(x):
    weights = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert gradgradcheck(lambda x: x**3, (x,), (weights,))
    assert gradgradcheck(lambda x: x**3, (x,), gen_non_contig_grad_outputs=True)


def test_signatures_are_those_of_pytorch():
    assert list(inspect.signature(gradcheck).parameters) == [
        "func", "inputs", "eps", "atol", "rtol", "raise_exception", "nondet_tol",
        "check_undefined_grad", "check_grad_dtypes", "check_batched_grad",
        "check_batched_forward_grad", "check_forward_ad", "check_backward_ad", "fast_mode",
        "masked",
    ]  # fmt: skip
    assert list(inspect.signature(gradgradcheck).parameters) == [
        "func", "inputs", "grad_outputs", "eps", "atol", "rtol", "gen_non_contig_grad_outputs",
        "raise_exception", "nondet_tol", "check_undefined_grad", "check_grad_dtypes",
        "check_batched_grad", "check_fwd_over_rev", "check_rev_over_rev", "fast_mode", "masked",
    ]  # fmt: skip


def test_the_name_works_as_module_and_as_function(x):
    import importlib

    module = importlib.import_module("chainrule.autograd.gradcheck")
    assert module(torch.sin, (x,)) is True
    assert torch.autograd.gradcheck(torch.sin, (x,)) is True
    assert issubclass(module.GradcheckError, RuntimeError)


@pytest.mark.parametrize("fast_mode", [False, True])
def test_inputs_that_are_conjugates_still_to_be_computed(fast_mode):
    z = leaf(3, dtype=torch.complex128).detach()
    for waiting in (z.conj(), z.conj().imag):
        x = waiting.requires_grad_()
        before = x.tolist()
        assert torch.autograd.gradcheck(lambda x: x * x.exp(), (x,), fast_mode=fast_mode)
        assert x.tolist() == before
