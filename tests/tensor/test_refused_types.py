"""Types of elements that functions are not defined for, as in PyTorch."""

import numpy as np
import pytest

import chainrule as torch

F = torch.nn.functional
IMAGE = torch.ones(1, 2, 4, 4)
PAIR = torch.tensor([[1, 2], [3, 4]])

REFUSED = [
    (lambda: F.avg_pool2d(IMAGE.int(), 2), "Int"),
    (lambda: F.avg_pool2d(IMAGE.bool(), 2), "Bool"),
    (lambda: F.adaptive_avg_pool2d(IMAGE.long(), 2), "Long"),
    (lambda: F.adaptive_max_pool2d(IMAGE.long(), 2), "Long"),
    (lambda: F.max_pool2d(IMAGE.bool(), 2), "Bool"),
    (lambda: F.max_pool2d(IMAGE + 0j, 2), "ComplexFloat"),
    (lambda: F.conv2d(IMAGE.bool(), IMAGE.bool()), "Bool"),
    (lambda: F.group_norm(IMAGE.long(), 1), "Long"),
    (lambda: F.nll_loss(PAIR, torch.tensor([0, 1])), "Long"),
    (lambda: F.kl_div(PAIR, PAIR), "Long"),
    (lambda: F.glu(PAIR), "Long"),
    (lambda: torch.median(PAIR > 1), "Bool"),
    (lambda: (PAIR > 1).kthvalue(1), "Bool"),
    (lambda: (PAIR > 1).topk(1), "Bool"),
    (lambda: (PAIR > 1).argmax(), "Bool"),
    (lambda: torch.cov(PAIR > 1), "Bool"),
    (lambda: (PAIR + 0j).amax(), "ComplexFloat"),
    (lambda: torch.deg2rad(PAIR + 0j), "ComplexFloat"),
    (lambda: torch.deg2rad_(PAIR + 0j), "ComplexFloat"),
    (lambda: torch.lerp(PAIR, PAIR, 0.5), "Long"),
    (lambda: F.softmax(PAIR + 0j, 1), "ComplexFloat"),
    (lambda: (PAIR + 0j).softmax(1), "ComplexFloat"),
    (lambda: F.log_softmax(PAIR + 0j, 1), "ComplexFloat"),
    (lambda: F.softmax(PAIR, 1), "Long"),
    (lambda: F.cross_entropy(PAIR + 0j, torch.tensor([0, 1])), "ComplexFloat"),
    (lambda: F.cross_entropy(PAIR, torch.tensor([0, 1])), "Long"),
    (lambda: F.cross_entropy(PAIR + 0j, torch.tensor([0, 1]), reduction="sum"), "ComplexFloat"),
    (lambda: torch.compile(F.cross_entropy)(PAIR + 0j, torch.tensor([0, 1])), "ComplexFloat"),
    (lambda: F.layer_norm(PAIR, (2,)), "Long"),
    (lambda: F.layer_norm(PAIR > 1, (2,)), "Bool"),
    (lambda: F.layer_norm(PAIR + 0j, (2,)), "ComplexFloat"),
    (lambda: F.layer_norm(PAIR, (2,), PAIR[0], PAIR[0]), "Long"),
    (lambda: torch.compile(lambda x: F.layer_norm(x, (2,)))(PAIR), "Long"),
    (lambda: torch.vmap(lambda x: F.layer_norm(x, (2,)))(PAIR), "Long"),
    (lambda: F.batch_norm(PAIR, None, None, training=True), "Long"),
    (lambda: F.batch_norm(PAIR + 0j, None, None, training=True), "ComplexFloat"),
    (lambda: F.batch_norm(PAIR, PAIR[0], PAIR[0]), "Long"),
    (lambda: F.batch_norm(PAIR + 0j, PAIR[0] + 0j, PAIR[0] + 0j), "ComplexFloat"),
    (lambda: F.adaptive_avg_pool1d(PAIR[None], 2), "Long"),
    (lambda: F.rms_norm(PAIR, (2,)), "Long"),
    (lambda: torch.abs(PAIR > 1), "Bool"),
    (lambda: torch.floor(PAIR > 1), "Bool"),
    (lambda: torch.fmod(PAIR > 1, PAIR > 1), "Bool"),
    (lambda: (PAIR > 1) // (PAIR > 1), "Bool"),
]


@pytest.mark.parametrize(("call", "word"), REFUSED)
def test_refused(call, word):
    with pytest.raises(NotImplementedError, match=f"not implemented for '{word}'"):
        call()


def test_what_is_defined_stays_so():
    assert F.avg_pool2d(IMAGE.long(), 2).dtype is torch.int64
    assert F.max_pool2d(IMAGE.int(), 2).dtype is torch.int32
    assert PAIR.median().item() == 2 and PAIR.amax().item() == 4
    assert F.avg_pool2d(IMAGE.half(), 2).dtype is torch.float16


def test_scans_in_place_keep_their_type():
    x = torch.ones(3)
    with pytest.raises(RuntimeError, match="Bad in-place call"):
        x.cumsum_(0, dtype=torch.float64)
    assert x.cumsum_(0, dtype=torch.float32).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "call",
    [
        lambda: PAIR.float().addcmul_(None, PAIR),
        lambda: PAIR.clone().addmm_("a", PAIR),
        lambda: torch.addmm(PAIR, PAIR, PAIR, alpha=[1]),
        lambda: torch.addcmul(PAIR, PAIR, PAIR, value="a"),
    ],
)
def test_wrong_types_in_place_and_for_factors(call):
    with pytest.raises(TypeError, match=r"must be (Tensor|Number), not (NoneType|str|list)"):
        call()


@pytest.mark.parametrize("power", ("a ** a", "True ** a", "torch.pow(a, a)", "a.clone().pow_(a)"))
def test_powers_of_truth_values(power):
    a = torch.tensor([True, False])
    with pytest.raises(NotImplementedError, match="\"pow\" not implemented for 'Bool'"):
        eval(power, {"torch": torch, "a": a})
    assert (a**True).tolist() == [True, False]


@pytest.mark.parametrize("values", (torch.tensor([True]), torch.tensor([1j]), True, 1j))
def test_truth_values_and_complex_numbers_are_in_no_set(values):
    for given in ((torch.arange(3), values), (values, torch.arange(3))):
        with pytest.raises(RuntimeError, match=r"Unsupported input type encountered for isin\(\)"):
            torch.isin(*given)


def test_an_array_is_no_number():
    # It made the gradients of a float32 tensor float64.
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(TypeError, match=r"argument 'alpha'.* must be float, not ndarray"):
        torch.nn.functional.elu(x, alpha=np.array(1.0))
    with pytest.raises(TypeError, match="argument 'alpha' must be Number, not ndarray"):
        torch.add(x, x, alpha=np.array(1.0))


def test_truth_values_are_not_rectified():
    with pytest.raises(NotImplementedError, match="Boolean inputs not supported for relu"):
        F.relu(PAIR > 1)


def test_complex_scores_are_converted_before_softmin():
    got = F.softmin(torch.tensor([1.0, 2.0]) + 0j, 0, dtype=torch.float32)
    assert torch.allclose(got, torch.tensor([0.7311, 0.2689]), atol=1e-4)
