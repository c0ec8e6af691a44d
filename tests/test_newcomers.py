"""What newcomers get wrong: the message says what was given, on which line, and what to write."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.distributions import Bernoulli, Categorical, Normal, StudentT, kl_divergence
from chainrule.nn import functional as F


class Misspelt(nn.Module):
    def foward(self, x):
        return x


CASES = {
    "an array for a tensor": (
        TypeError, lambda: nn.Linear(4, 2)(np.ones((3, 4))),
        "linear(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
        "Fix: convert it with torch.as_tensor(...)"),
    "a list for a tensor": (
        TypeError, lambda: nn.Conv2d(1, 2, 3)([1.0, 2.0]),
        "conv2d(): argument 'input' (position 1) must be Tensor, not list", "in Conv2d(1, 2"),
    "arrays in a state dict": (
        RuntimeError,
        lambda: nn.Linear(1, 1).load_state_dict({"weight": np.ones((1, 1)), "bias": np.ones(1)}),
        "received <class 'numpy.ndarray'>", "Fix: make tensors of the values first"),
    "the gradient of a vector": (
        RuntimeError, lambda: torch.func.grad(torch.sin)(torch.ones(2)),
        "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with 1",
        "f is sin, its result has shape [2]"),
    "no tensor to differentiate": (
        RuntimeError, lambda: torch.func.grad(lambda x: 1.0)(torch.ones(2)),
        "to return a Tensor, got <class 'float'>", "has_aux=True"),
    "examples that do not match": (
        ValueError, lambda: torch.vmap(torch.dot)(torch.ones(3, 2), torch.ones(4, 2)),
        "got sizes [3, 4] for the mapped dimension", "in_dims=None"),
    "a list of layers": (
        TypeError, lambda: nn.Sequential([nn.Linear(2, 2)]),
        "list is not a Module subclass", "nn.Sequential(*layers)"),
    "heads that do not divide": (
        AssertionError, lambda: nn.MultiheadAttention(10, 3),
        "embed_dim must be divisible by num_heads", "Fix: embed_dim=12"),
    "an image without channels": (
        RuntimeError, lambda: nn.Conv2d(3, 8, 3)(torch.ones(8, 8)),
        "Expected 3D (unbatched) or 4D (batched) input to conv2d", "(batch, channels, H, W)"),
    "features in the wrong place": (
        RuntimeError, lambda: nn.LSTM(4, 8)(torch.ones(5, 2, 3)),
        "Expected 4, got 3", "Fix: input_size=3"),
    "scores of sequences": (
        ValueError, lambda: F.cross_entropy(torch.ones(6, 5), torch.tensor([1, 2])),
        "Expected input batch_size (6) to match target batch_size (2)", ".flatten(0, 1)"),
    "joining what does not fit": (
        RuntimeError, lambda: torch.cat([torch.ones(2, 3), torch.ones(3, 2)]),
        "Expected size 3 but got size 2 for tensor number 1", "Fix: choose the dim="),
    "a loss given tensors too early": (
        RuntimeError, lambda: nn.CrossEntropyLoss(torch.ones(3, 5), torch.tensor([0, 1, 2])),
        "Boolean value of Tensor with more than one value is ambiguous", "(input, target)"),
    "a module for parameters": (
        TypeError, lambda: torch.optim.Adam(nn.Linear(2, 2)),
        "'Linear' object is not iterable", "Fix: pass model.parameters()"),
    "a misspelt forward": (
        NotImplementedError, lambda: Misspelt()(torch.ones(2)),
        'Module [Misspelt] is missing the required "forward" function', "rename 'foward'"),
    "no forward at all": (
        NotImplementedError, lambda: nn.Module()(1), "missing the required", "define forward"),
    "a negative scale": (
        ValueError, lambda: Normal(0.0, -1.0),
        "to satisfy the constraint GreaterThan(lower_bound=0.0)", "-1.0"),
    "a value outside the support": (
        ValueError, lambda: Bernoulli(0.5).log_prob(torch.tensor(2.0)),
        "to be within the support (Boolean())", "2.0"),
    "samples that have no slope": (
        NotImplementedError, lambda: Categorical(torch.ones(2)).rsample(),
        "Categorical has no rsample", "log_prob(sample)"),
    "an unknown divergence": (
        NotImplementedError, lambda: kl_divergence(Normal(0.0, 1.0), StudentT(3.0)),
        "No KL(p || q) is implemented for p type Normal and q type StudentT", "register_kl"),
    "a divergence of two families": (
        NotImplementedError, lambda: kl_divergence(Normal(0.0, 1.0), Bernoulli(0.5)),
        "between different exponential families cannot be computed", "register_kl"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_message_names_the_line_and_the_fix(case):
    kind, run, phrase, remedy = CASES[case]
    with pytest.raises(kind) as caught:
        run()
    text = str(caught.value)
    assert phrase in text and remedy in text, text
    assert "test_newcomers.py:" in text, f"no user line in:\n{text}"


@pytest.mark.parametrize("function", [F.softmax, F.log_softmax, F.softmin, nn.Softmax()])
def test_a_dimension_that_is_guessed_is_warned_about_at_the_users_line(function):
    with pytest.warns(UserWarning, match="Implicit dimension choice for .*soft") as caught:
        function(torch.ones(2, 2))
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_a_very_long_line_is_cut_in_messages():
    with pytest.raises(RuntimeError) as caught:
        torch.ones(2) + torch.ones(3) + torch.ones(3) + torch.ones(3) + torch.ones(3) + torch.ones(3) + torch.ones(3)  # noqa: E501  # fmt: skip
    text = str(caught.value)
    assert "torch.ones(2) + torch.ones(3)" in text and " ...\n" in text and "fmt" not in text
