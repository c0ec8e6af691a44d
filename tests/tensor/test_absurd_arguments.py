"""Absurd arguments get an error of ours, never one that leaks from Python's or NumPy's inside."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.nn import functional as F

ABSURD = [object(), b"a", 5.5, "x", {}, [0.5], 1j, None]


@pytest.mark.parametrize("value", ABSURD, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize(
    "function",
    [
        lambda v: torch.tile(v, (2,)),
        lambda v: torch.roll(torch.ones(3), v, v),
        lambda v: torch.linalg.norm(v),
        lambda v: torch.cumsum(v, 0),
        lambda v: F.pad(torch.ones(3), v),
        lambda v: F.interpolate(v, size=2),
        lambda v: F.unfold(torch.ones(1, 1, 4, 4), v),
        lambda v: torch.kthvalue(torch.ones(3), v),
        lambda v: torch.rot90(torch.ones(2, 2), 1, v),
        lambda v: torch.tensor_split(torch.ones(4), v),
        lambda v: torch.from_dlpack(v),
    ],
)
def test_the_error_names_function_argument_and_line(function, value):
    try:
        function(value)
    except (TypeError, ValueError, IndexError, RuntimeError) as problem:
        assert "test_absurd_arguments.py" in str(problem)
        assert not isinstance(problem, np.exceptions.AxisError)


def test_the_error_shows_all_arguments_and_the_cause():
    with pytest.raises(TypeError, match=r"pad\(\) received an invalid combination") as caught:
        F.pad(torch.ones(3), 5.5)
    text = str(caught.value)
    assert "input=float32[3], pad=5.5" in text
    assert "'float' object is not iterable" in text
    assert "help(torch.nn.functional.pad)" in text


def test_errors_of_a_users_own_code_pass_unchanged():
    class Sides:
        def __iter__(self):
            raise AttributeError("mine")

    with pytest.raises(AttributeError, match=r"^mine$"):
        F.pad(torch.ones(3), Sides())  # type: ignore[arg-type]


NUMPY_NUMBERS = {
    "float option": lambda x, n: F.elu(x, alpha=n(2)),
    "negative slope": lambda x, n: F.leaky_relu(x, n(2)),
    "softplus": lambda x, n: F.softplus(x, beta=n(2)),
    "kernel": lambda x, n: F.max_pool1d(x[None], np.int64(n(2))),
    "kernel in a tuple": lambda x, n: F.avg_pool2d(x[None], (np.int64(n(2)), np.int64(n(2)))),
    "where": lambda x, n: torch.where(x > 0, x, n(2)),
    "roll": lambda x, n: torch.roll(x, np.int64(n(2)), np.int64(0)),
    "sum_to_size": lambda x, n: x.sum_to_size(np.int64(1), np.int64(4)),
    "full": lambda x, n: x * torch.full((4,), n(2)),
    "arange": lambda x, n: x * torch.arange(np.int64(4)),
}


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize("name", NUMPY_NUMBERS)
def test_numbers_of_numpy_are_numbers(name, kind):
    use = NUMPY_NUMBERS[name]
    found = []
    for number in (kind, lambda v: kind(v).item()):
        x = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
        out = use(x, number)
        (grad,) = torch.autograd.grad(out.sum(), x)
        found.append((out.dtype, out.tolist(), grad.dtype, grad.tolist()))
    assert found[0] == found[1]
    assert found[0][2] is torch.float32


@pytest.mark.parametrize(
    "function",
    [
        lambda: torch.zeros(1 << 62),
        lambda: torch.empty(1 << 31, 1 << 31, 4),
        lambda: torch.ones(3).new_full((1 << 61,), 1.0),
        lambda: F.adaptive_avg_pool1d(torch.ones(1, 2, 4), 1 << 62),
        lambda: F.adaptive_max_pool2d(torch.ones(1, 2, 4, 4), (1 << 31, 1 << 31)),
    ],
)
def test_sizes_that_no_memory_holds_are_refused_at_once(function):
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed with sizes="):
        function()
