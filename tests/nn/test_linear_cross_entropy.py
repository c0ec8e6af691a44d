"""LinearCrossEntropyLoss, and the gradients of convolutions in `nn.grad`."""

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.nn import functional as F


def values(*shape: int) -> torch.Tensor:
    return (torch.arange(torch.Size(shape).numel()) * 0.37).sin().reshape(shape).double()


def test_it_is_the_cross_entropy_of_a_linear_layer() -> None:
    loss = nn.LinearCrossEntropyLoss(3, 4, bias=True, label_smoothing=0.1, dtype=torch.float64)
    x, target = values(5, 3), torch.tensor([0, 3, 1, 2, 0])
    scores = F.linear(x, loss.linear.weight, loss.linear.bias)
    torch.testing.assert_close(
        loss(x, target), F.cross_entropy(scores, target, label_smoothing=0.1)
    )


def test_scores_of_several_dimensions_have_classes_second() -> None:
    loss = nn.LinearCrossEntropyLoss(3, 4, out_features=(2,), reduction="none", dtype=torch.float64)
    x, target = values(5, 3), torch.arange(10).reshape(5, 2) % 4
    found = loss(x, target)
    assert found.shape == (5, 2) and loss.linear.weight.shape == (8, 3)
    scores = torch.einsum("ni,cdi->ncd", x, loss.linear.weight.reshape(4, 2, 3))
    torch.testing.assert_close(found, F.cross_entropy(scores, target, reduction="none"))


def test_options_do_not_change_the_result() -> None:
    x, weight, target = values(5, 3), values(4, 3), torch.tensor([0, 3, 1, 2, 0])
    options = nn.LinearCrossEntropyOptions(batch_chunk_size=2)
    plain = F.linear_cross_entropy(x, weight, target)
    assert torch.equal(F.linear_cross_entropy(x, weight, target, options=options), plain)


def test_its_repr_and_state_are_pytorchs() -> None:
    loss = nn.LinearCrossEntropyLoss(3, 2, weight=torch.ones(2))
    assert list(loss.state_dict()) == ["weight", "linear.weight"]
    assert repr(loss).splitlines()[1:3] == [
        "  in_features=3, num_classes=2, out_features=(), bias=False, reduction=mean, "
        "ignore_index=None, label_smoothing=0.0, options=None",
        "  (linear): Linear(in_features=3, out_features=2, bias=False)",
    ]


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (lambda x, w, t: F.linear_cross_entropy(x, w[:, :2], t), "in_features"),
        (lambda x, w, t: F.linear_cross_entropy(x[0], values(4, 2, 3), t), "requires batched"),
        (lambda x, w, t: F.linear_cross_entropy(x, w, t, linear_bias=values(3)), "linear_bias"),
        (
            lambda x, w, t: F.linear_cross_entropy(x, w, values(5, 4), ignore_index=1),
            "ignore_index cannot be specified",
        ),
        (
            lambda x, w, t: nn.LinearCrossEntropyLoss(3, 4, weight=torch.ones(3)),
            "expected weight shape",
        ),
        (
            lambda x, w, t: nn.LinearCrossEntropyLoss(3, 4, label_smoothing=2.0),
            "expected label_smoothing to be in range",
        ),
    ],
)
def test_sizes_that_do_not_fit_are_refused(call, phrase) -> None:
    with pytest.raises(RuntimeError, match=phrase):
        call(values(5, 3), values(4, 3), torch.tensor([0, 3, 1, 2, 0]))


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_gradients_of_convolutions_by_input_and_weight(dims: int) -> None:
    conv = getattr(F, f"conv{dims}d")
    options = {"stride": 2, "padding": 1, "groups": 2}
    x = values(2, 4, *[6] * dims).requires_grad_()
    w = values(6, 2, *[3] * dims).requires_grad_()
    out = conv(x, w, **options)
    pull = values(*out.shape).cos()
    by_x, by_w = torch.autograd.grad(out, [x, w], pull)
    of_input = getattr(nn.grad, f"conv{dims}d_input")(x.shape, w, pull, **options)
    of_weight = getattr(nn.grad, f"conv{dims}d_weight")(x, w.shape, pull, **options)
    torch.testing.assert_close(of_input, by_x)
    torch.testing.assert_close(of_weight, by_w)
    assert of_input.requires_grad and torch.autograd.grad(of_input.sum(), w)[0].shape == w.shape
