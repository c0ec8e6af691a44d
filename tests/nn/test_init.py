"""nn.init: the values PyTorch draws from the same seed, and what bad arguments are told."""

import math

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import init

from .init_cases import FILLS, run_fill
from .layer_runs import recorded


@pytest.mark.parametrize("fill", FILLS, ids=repr)
def test_the_same_seed_gives_pytorchs_values(fill):
    expected = recorded("init")[repr(fill)]
    found = run_fill(torch, fill)
    assert list(found.arrays) == list(expected.arrays)
    for name, wanted in expected.arrays.items():
        values = found.arrays[name]
        assert values.dtype == wanted.dtype
        if fill.name == "orthogonal_" and not name.startswith("next"):
            # Drawn equal; the factorisation differs in the last digits.
            np.testing.assert_allclose(values, wanted, atol=8 * np.finfo(values.dtype).eps)
        else:
            np.testing.assert_array_equal(values, wanted)


@pytest.mark.parametrize(
    ("name", "param", "gain"),
    [
        ("linear", None, 1),
        ("conv_transpose3d", None, 1),
        ("sigmoid", None, 1),
        ("tanh", None, 5 / 3),
        ("relu", None, math.sqrt(2)),
        ("selu", None, 0.75),
        ("leaky_relu", None, math.sqrt(2 / 1.0001)),
        ("leaky_relu", 1, 1.0),
    ],
)
def test_gains(name, param, gain):
    assert init.calculate_gain(name, param) == gain


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (lambda: init.calculate_gain("swish"), "Unsupported nonlinearity swish"),
        (lambda: init.calculate_gain("leaky_relu", True), "negative_slope True not a valid number"),
        (lambda: init.eye_(torch.empty(3)), "Only tensors with 2 dimensions are supported"),
        (lambda: init.dirac_(torch.empty(3, 3)), "Only tensors with 3, 4, or 5 dimensions"),
        (lambda: init.dirac_(torch.empty(3, 3, 3), 2), "dim 0 must be divisible by groups"),
        (lambda: init.sparse_(torch.empty(3), 0.5), "Only tensors with 2 dimensions"),
        (lambda: init.orthogonal_(torch.empty(3)), "Only tensors with 2 or more dimensions"),
        (lambda: init.xavier_normal_(torch.empty(3)), "Fan in and fan out can not be computed"),
        (lambda: init.kaiming_normal_(torch.empty(2, 3), mode="fan"), "Mode fan not supported"),
    ],
)
def test_bad_arguments_are_told_with_the_users_line(call, phrase):
    with pytest.raises(ValueError, match=phrase) as error:
        call()
    assert "test_init.py" in str(error.value)


def test_a_tensor_without_elements_is_left_alone_with_a_warning():
    empty = torch.empty(0, 3)
    with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
        assert init.kaiming_uniform_(empty) is empty
    assert init.orthogonal_(empty) is empty


def test_a_truncation_far_from_the_mean_is_warned_about():
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        x = init.trunc_normal_(torch.empty(100), mean=10.0, std=1.0)
    assert 1.5 < float(x.mean()) <= 2.0


def test_values_on_a_bound_that_rounds_inwards_end_the_drawing():
    x = init.trunc_normal_(torch.empty(200, dtype=torch.float16), 0.0, 1.0, -0.7001, 0.7001)
    bound = float(torch.tensor(0.7001, dtype=torch.float16))
    assert float(x.abs().max()) <= bound


@pytest.mark.parametrize("name", [n for n in init.__all__ if f"{n}_" in init.__all__])
def test_old_names_still_work_and_say_so(name):
    arguments = {"constant": (2.0,), "sparse": (0.5,)}.get(name, ())
    shape = (2, 2, 3) if name == "dirac" else (2, 3)
    torch.manual_seed(0)
    expected = getattr(init, f"{name}_")(torch.empty(shape), *arguments)
    torch.manual_seed(0)
    with pytest.warns(FutureWarning, match=rf"`nn.init.{name}` is now deprecated in favor of"):
        found = getattr(init, name)(torch.empty(shape), *arguments)
    assert torch.equal(found, expected)
