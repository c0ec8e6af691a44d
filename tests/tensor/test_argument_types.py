"""What public functions refuse: numbers for tensors, fractions for ints, strings for flags."""

import pytest

import chainrule as torch

X = torch.ones(3, 4)
F = torch.nn.functional

ONLY_TENSORS = (
    "atan2 fmax fmin hypot logaddexp logaddexp2 logical_and logical_or logical_xor maximum minimum "
    "nextafter igamma igammac"
).split()
ONE_OF_THEM = "pow remainder xlogy".split()
NOT_THE_FIRST = "copysign eq fmod ge gt le lt ne".split()


@pytest.mark.parametrize("name", ONLY_TENSORS)
def test_a_number_is_no_tensor(name):
    function = getattr(torch, name)
    assert function(X, X).shape == (3, 4)
    for operands in ((X, 2.0), (2.0, X), (2.0, 2.0), (X, True)):
        with pytest.raises(TypeError, match=r"must be Tensor, not (float|bool)"):
            function(*operands)
    with pytest.raises(TypeError, match=r"'other' \(position 2\) must be Tensor"):
        getattr(X, name)(2.0)
    if hasattr(X, name + "_"):
        with pytest.raises(TypeError, match="must be Tensor"):
            getattr(X.clone(), name + "_")(2.0)


@pytest.mark.parametrize("name", ONE_OF_THEM)
def test_one_operand_must_be_a_tensor(name):
    function = getattr(torch, name)
    assert function(X, 2.0).shape == function(2.0, X).shape == (3, 4)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        function(2.0, 2.0)


@pytest.mark.parametrize("name", NOT_THE_FIRST)
def test_the_first_operand_must_be_a_tensor(name):
    function = getattr(torch, name)
    assert function(X, 2.0).shape == getattr(X, name)(2.0).shape == (3, 4)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        function(2.0, X)


@pytest.mark.parametrize("name", ["sin", "exp", "abs", "isnan", "special.i1", "neg"])
def test_functions_of_one_operand_take_no_numbers(name):
    function = torch
    for part in name.split("."):
        function = getattr(function, part)
    with pytest.raises(TypeError, match=r"'input' \(position 1\) must be Tensor, not float"):
        function(2.0)


@pytest.mark.parametrize(
    ("call", "phrase"),
    [
        (lambda: torch.cumsum(None, 0), r"cumsum\(\): argument 'input' \(position 1\) must be"),
        (lambda: torch.cumsum([1.0], 0), "must be Tensor, not list"),
        (lambda: F.hardtanh("abc"), "must be Tensor, not str"),
        (lambda: torch.linalg.inv(3), "argument 'A' .* must be Tensor, not int"),
        (lambda: torch.gather(X, 0, None), "argument 'index' .* must be Tensor, not NoneType"),
        (lambda: X.cumsum(1.5), "argument 'dim' must be int, not float"),
        (lambda: X.cumsum(True), "argument 'dim' must be int, not bool"),
        (lambda: X.sum(0.0), "argument 'dim' must be int, not float"),
        (lambda: X.softmax("a"), "argument 'dim' must be int, not str"),
        (lambda: X.topk(1.5), "argument 'k' .* must be int, not float"),
        (lambda: X.diagonal(torch.tensor(0.5)), "must be int, not Tensor"),
        (lambda: X.amax(0, keepdim=1), "argument 'keepdim' .* must be bool, not int"),
        (lambda: X.sort(descending="yes"), "argument 'descending' .* must be bool, not str"),
        (lambda: torch.cumsum(X, 0, dtype="float32"), "must be torch.dtype, not str"),
        (lambda: torch.cumsum(X, 0, out=3), "argument 'out' must be Tensor, not int"),
        (lambda: torch.aminmax(X, dim=0, out=X), "argument 'out' must be tuple of Tensors"),
    ],
)
def test_wrong_types_are_named(call, phrase):
    with pytest.raises(TypeError, match=phrase):
        call()


def test_integers_of_more_than_64_bits_are_refused():
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        X.diagonal(2**63)
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        X.cumsum(-(2**63) - 1)


def test_what_counts_as_an_int_is_accepted():
    import numpy as np

    assert X.cumsum(np.int64(1)).shape == X.cumsum(torch.tensor(1)).shape == (3, 4)
    assert X.topk(torch.tensor(2)).values.shape == (3, 2)


def test_an_error_of_the_users_own_function_passes_unchanged():
    def distance(a, b):
        return None.missing

    with pytest.raises(AttributeError, match="missing"):
        F.triplet_margin_with_distance_loss(X, X, X, distance_function=distance)
