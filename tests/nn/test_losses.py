"""Losses: old flags, bad arguments, and what PyTorch computes beyond the recorded cases."""

import pytest

import chainrule as torch
from chainrule import nn

F = nn.functional

PLAIN = (nn.MSELoss, nn.L1Loss, nn.CrossEntropyLoss, nn.BCEWithLogitsLoss, nn.TripletMarginLoss)


@pytest.mark.parametrize("loss", PLAIN)
@pytest.mark.parametrize(
    ("flags", "reduction"),
    [
        ({"size_average": True}, "mean"),
        ({"size_average": False}, "sum"),
        ({"reduce": False}, "none"),
        ({"size_average": False, "reduce": True}, "sum"),
        ({"size_average": False, "reduce": False}, "none"),
    ],
)
def test_the_old_flags_mean_a_reduction_and_are_warned_about(loss, flags, reduction):
    with pytest.warns(UserWarning, match=f"please use reduction='{reduction}' instead") as found:
        assert loss(**flags).reduction == reduction
    assert found[0].filename == __file__


def test_a_reduction_that_does_not_exist_is_told_when_used():
    loss = nn.MSELoss(reduction="average")
    with pytest.raises(ValueError, match="average is not a valid value for reduction") as error:
        loss(torch.zeros(2), torch.zeros(2))
    assert "'none', 'mean', 'sum'" in str(error.value)


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (lambda: nn.MultiMarginLoss(p=3), "only p == 1 and p == 2 supported"),
        (lambda: nn.MultiMarginLoss(weight=torch.zeros(2, 2)), "None or 1D tensor, got 2D instead"),
        (lambda: nn.TripletMarginLoss(margin=-1), "expected margin to be greater than 0, got -1"),
        (lambda: nn.TripletMarginWithDistanceLoss(margin=0), "expected margin to be greater than"),
    ],
)
def test_bad_constructor_arguments(call, phrase):
    with pytest.raises(ValueError, match=phrase):
        call()


def test_class_weights_are_state_but_not_parameters():
    loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))
    assert list(loss.state_dict()) == ["weight"]
    assert list(loss.parameters()) == []
    assert loss.double().weight.dtype is torch.float64
    assert nn.CrossEntropyLoss().state_dict() == {}


def test_weights_that_are_no_tensor_are_refused():
    with pytest.raises(TypeError, match=r"cannot assign '.*list' object to buffer 'weight'"):
        nn.CrossEntropyLoss(weight=[1.0, 2.0])


def test_a_distance_that_is_a_module_belongs_to_the_loss():
    distance = nn.Linear(2, 2)
    loss = nn.TripletMarginWithDistanceLoss(
        distance_function=lambda a, b: (a - b).abs().sum(1), margin=0.5
    )
    assert list(loss.children()) == []
    loss = nn.TripletMarginWithDistanceLoss(distance_function=distance)
    assert list(loss.children()) == [distance]


@pytest.mark.parametrize(
    ("loss", "targets"),
    [
        (nn.CrossEntropyLoss(), torch.tensor([0, 1])),
        (nn.BCEWithLogitsLoss(), torch.tensor([[1.0, 0.0], [0.0, 1.0]])),
    ],
)
def test_losses_of_logits_are_finite_at_ten_thousand(loss, targets):
    logits = torch.tensor([[1e4, -1e4], [1e4, -1e4]], requires_grad=True)
    value = loss(logits, targets)
    value.backward()
    assert 0 < value.item() < 3e4
    assert bool(torch.isfinite(logits.grad).all())


def test_the_adaptive_softmax_scores_and_predicts_all_classes():
    torch.manual_seed(0)
    softmax = nn.AdaptiveLogSoftmaxWithLoss(16, 30, [5, 12], div_value=2.0)
    x, classes = torch.randn(40, 16) * 3, torch.arange(40) % 30
    scores = softmax.log_prob(x)
    assert scores.shape == (40, 30)
    assert torch.allclose(scores.exp().sum(1), torch.ones(40), atol=1e-5)
    output, loss = softmax(x, classes)
    assert torch.allclose(output, scores.gather(1, classes[:, None])[:, 0], atol=1e-5)
    assert torch.allclose(loss, -output.mean())
    found = softmax.predict(x)
    rare = softmax.head(x).argmax(1) >= 5  # a rare class is looked for only where the head says so
    assert 0 < int(rare.sum()) < 40
    assert torch.equal(found[rare], scores.argmax(1)[rare])
    assert torch.equal(found[~rare], softmax.head(x).argmax(1)[~rare])


def test_losses_have_the_types_that_pytorch_gives_them():
    x, y = torch.tensor([0.5, 0.25]), torch.tensor([1.0, 0.0])
    assert F.binary_cross_entropy_with_logits(x, y.half()).dtype is torch.float16
    assert F.binary_cross_entropy_with_logits(x.double(), y).dtype is torch.float32
    assert F.poisson_nll_loss(x.half(), y.long(), full=True).dtype is torch.float16
    assert F.poisson_nll_loss(torch.tensor([True]), torch.tensor([2.0])).dtype is torch.float32


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (lambda x: F.binary_cross_entropy_with_logits(x, x.long()), "can't be cast to the desired"),
        (lambda x: F.binary_cross_entropy_with_logits(x, x + 0j), "not implemented"),
        (lambda x: F.kl_div(x, x + 0j, log_target=True), "Complex inputs not supported"),
        (lambda x: F.soft_margin_loss(x, x > 0), "Negation"),
        (lambda x: F.multi_margin_loss(x, torch.tensor(1.0)), "expected scalar type Long"),
        (lambda x: F.cosine_similarity(x, x + 0j, 0), "expected common dtype to be floating"),
    ],
)
def test_losses_refuse_targets_of_other_types(loss, words):
    with pytest.raises((RuntimeError, NotImplementedError), match=words):
        loss(torch.tensor([0.5, 0.25]))
