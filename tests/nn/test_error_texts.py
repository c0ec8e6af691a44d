"""Bad input of training loops: the words to search for, the values, the user's line and the fix."""

import warnings
from functools import partial

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F

X = torch.tensor([0.5, 0.25])
LINE = "# the user's line"


def text_of(kind, call):
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value)
    assert "test_error_texts.py" in text and LINE in text, text
    return text


LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
          "binary_cross_entropy_with_logits", "kl_div", "poisson_nll_loss", "nll_loss")  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_a_target_that_is_no_tensor(name):
    loss = getattr(F, name)
    text = text_of(TypeError, lambda: loss(X, [1.0, 2.0]))  # the user's line
    assert f"{name}(): argument 'target' (position 2) must be Tensor, not list" in text
    assert "It is [1.0, 2.0]" in text and "Fix: target=torch.tensor(target)" in text
    text = text_of(TypeError, lambda: loss(0.5, X))  # the user's line
    assert f"{name}(): argument 'input' (position 1) must be Tensor, not float" in text


def test_class_numbers_in_a_list():
    text = text_of(TypeError, lambda: F.cross_entropy(torch.ones(2, 3), [0, 1]))  # the user's line
    assert "cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not list" in text
    assert "It is [0, 1]" in text and "Fix: " in text


@pytest.mark.parametrize("loss", [F.binary_cross_entropy, nn.BCELoss()])
def test_probabilities_outside_0_and_1(loss):
    x = torch.tensor([0.5, 2.0, -1.0], requires_grad=True)
    text = text_of(RuntimeError, lambda: loss(x, torch.ones(3)))  # the user's line
    assert text.startswith("all elements of input should be between 0 and 1\n")
    assert "2 of 3 values are outside, such as 2 (smallest -1, largest 2)" in text
    assert "Fix: apply sigmoid first, or use binary_cross_entropy_with_logits." in text


def test_probabilities_that_are_nan():
    x, y = torch.tensor([0.5, float("nan")]), torch.ones(2)
    text = text_of(RuntimeError, lambda: F.binary_cross_entropy(x, y))  # the user's line
    assert "1 of 2 values are outside, such as nan" in text


def test_targets_outside_0_and_1():
    y = torch.tensor([0.0, 3.0])
    text = text_of(RuntimeError, lambda: F.binary_cross_entropy(X, y))  # the user's line
    assert text.startswith("all elements of target should be between 0 and 1\n")
    assert "such as 3" in text and "Fix: divide labels by their largest value" in text


@pytest.mark.parametrize("low, high", [(5, 2), (2, 2)])
def test_an_empty_range_of_integers(low, high):
    phrase = f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
    for call in (
        lambda: torch.randint(low, high, (3,)),  # the user's line
        lambda: torch.randint_like(X, low, high),  # the user's line
        lambda: torch.empty(3).random_(low, high),  # the user's line
    ):
        text = text_of(RuntimeError, call)
        assert text.startswith(phrase)
        assert f"from {low} up to, but without, {high}: there are none" in text
        assert f"Fix: give a larger upper bound, such as {low + 1}" in text


def test_integers_that_do_not_fit_their_type():
    draw = torch.randint
    text = text_of(RuntimeError, lambda: draw(0, 300, (3,), dtype=torch.uint8))  # the user's line
    assert "to - 1 is out of bounds for unsigned char: 299 does not fit uint8" in text
    assert "Fix: give smaller bounds, or a dtype that holds them." in text


def test_the_loss_of_an_empty_batch_is_nan_with_a_warning():
    scores, classes = torch.ones(0, 3), torch.zeros(0, dtype=torch.long)
    with pytest.warns(UserWarning, match="cross_entropy of an empty batch is nan") as caught:
        loss = F.cross_entropy(scores, classes)
    assert loss.isnan() and len(caught) == 1
    assert caught[0].filename == __file__
    text = str(caught[0].message)
    assert "input [0, 3], target [0]" in text and "Fix: skip empty batches" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert F.cross_entropy(scores, classes, reduction="sum") == 0
        assert F.cross_entropy(scores, classes, reduction="none").shape == (0,)


def test_scores_without_classes():
    y = torch.zeros(2, dtype=torch.long)
    text = text_of(IndexError, lambda: F.cross_entropy(torch.ones(2, 0), y))  # the user's line
    assert text.startswith("Target 0 is out of bounds.") and "The scores have no classes" in text


def test_a_state_dict_of_another_model():
    state = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1), nn.Linear(1, 1)).state_dict()
    del state["1.bias"]
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    text = text_of(RuntimeError, lambda: model.load_state_dict(state))  # the user's line
    assert text.startswith("Error(s) in loading state_dict for Sequential:")
    assert 'Missing key(s) in state_dict: "1.bias".' in text
    assert 'Unexpected key(s) in state_dict: "2.weight", "2.bias".' in text
    assert (
        "size mismatch for 0.weight: copying a param with shape torch.Size([4, 2]) from "
        "checkpoint, the shape in current model is torch.Size([3, 2])."
    ) in text
    assert "Fix: build the model as it was when it was saved, or pass strict=False" in text


def test_gradients_that_cannot_be_clipped():
    a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))
    a.grad, b.grad = torch.ones(2), torch.tensor([1.0, float("nan"), float("inf")])
    clip = partial(nn.utils.clip_grad_norm_, max_norm=1.0, error_if_nonfinite=True)
    text = text_of(RuntimeError, lambda: clip([a, b]))  # the user's line
    assert text.startswith("The total norm of order 2.0 for gradients from `parameters` is non-fin")
    assert "The norm is nan: 1 of 2 gradients are not finite; the first is number 1" in text
    assert "of shape [3], with 2 of 3 elements nan or infinite" in text
    assert "Fix: lower the learning rate, or skip this step" in text
    assert a.grad.tolist() == [1.0, 1.0]


def test_a_norm_that_overflows_is_told_from_gradients_that_are_not_finite():
    a = nn.Parameter(torch.ones(2))
    a.grad = torch.tensor([3e38, 3e38])
    clip = partial(nn.utils.clip_grad_norm_, max_norm=1.0, norm_type=1, error_if_nonfinite=True)
    text = text_of(RuntimeError, lambda: clip([a]))  # the user's line
    assert "every gradient is finite, but the sum of their powers overflows" in text
