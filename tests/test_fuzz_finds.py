"""Programs on which the fuzzer once found a disagreement: all ways must agree now."""

import numpy as np
import pytest

import chainrule
import chainrule as torch
from fuzz.families.straight import Program, check

FINDS = {
    # A level's saved payload was taken for modified when its tensor was written in place.
    "in-place through a view, value saved": Program(
        [
            "v0 = torch.stack([x2, x2], -1)",
            "v0[0:1].mul_(x0 * 0.5)",
            "v1 = torch.stack([v0, v0], -1)",
            "out = 4 * v1.sin().mean()",
        ],
        {"x0": (1, 1), "x1": (1,), "x2": (1,)},
        0,
    ),
    # A reshape that copies was tracked as a view inside transforms.
    "write after a copying reshape": Program(
        [
            "v0 = x2.clone()",
            "v2 = v0.unsqueeze(2).expand(2, -1, -1, -1)",
            "v3 = v2.reshape(-1)",
            "v0.mul_(0.9)",
            "out = (v3 * v3).sum()",
        ],
        {"x0": (1,), "x1": (1,), "x2": (2, 2)},
        1,
    ),
    # ... but one that does not copy must stay a view.
    "write after a reshape that is a view": Program(
        ["v0 = x0.clone()", "v1 = v0.reshape(-1)", "v0.mul_(x1)", "out = (v1 * v1).sum()"],
        {"x0": (2, 3), "x1": (1,), "x2": (1,)},
        2,
    ),
    # Tracing computed an in-place op from memory that it then overwrote.
    "in-place on an indexed result": Program(
        [
            "v1 = x1[torch.tensor([0, 0, 0])]",
            "v3 = v1[torch.tensor([2, 1, 0])]",
            "v1[2:3].sin_()",
            "out = torch.stack([v3, v1], -1).sin().mean()",
        ],
        {"x0": (1,), "x1": (1, 2), "x2": (1,)},
        3,
    ),
    # A broadcast value that was copied in left its own layout behind inside transforms.
    "reshape after a copy of a broadcast value": Program(
        [
            "v1 = x2 * x1",
            "v1.copy_(x2 * 0.5)",
            "v2 = v1.reshape(-1)",
            "v1.mul_(0.9)",
            "out = (v1 * v2.view_as(v1)).sum()",
        ],
        {"x0": (1,), "x1": (2, 3), "x2": (3,)},
        4,
    ),
    # The indexed result of a transposed tensor had another layout inside vmap.
    "reshape of an indexed transposed tensor": Program(
        [
            "v0 = (x1 * x1 + 0.5).sqrt().transpose(0, 2)",
            "v2 = v0[torch.tensor([0, 0, 0])]",
            "v3 = v2.reshape(-1)",
            "v2.mul_(0.9)",
            "out = v2.sin().mean() + 2 * v3.sin().mean()",
        ],
        {"x0": (1,), "x1": (2, 3, 4), "x2": (1,)},
        5,
    ),
    # What is stacked took its layout from a broadcast input, and lost it when written into.
    "reshape of a stack that was written into": Program(
        [
            "v0 = x2.expand(2, -1, -1, -1)",
            "v1 = torch.stack([v0, v0], -1)",
            "v1.transpose(0, -1)[..., 0].sub_(v0 * 0.5)",
            "v3 = v1.reshape(-1)",
            "v1.mul_(0.9)",
            "out = v3.sin().mean()",
        ],
        {"x0": (1,), "x1": (1,), "x2": (3, 2, 3)},
        6,
    ),
}


@pytest.mark.parametrize("name", FINDS)
def test_all_ways_agree(name):
    assert check(FINDS[name], chainrule, every_way=True) == "ok"


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e-12, 1e19, 1e30])
def test_deviations_of_numbers_whose_squares_leave_the_range(scale):
    # float32 squares of 1e-20 are no numbers any more, their root was 0.
    values = np.random.default_rng(0).normal(size=(40, 3)) * scale
    x = torch.tensor(values.astype(np.float32), requires_grad=True)
    exact = x.detach().double().requires_grad_()
    for deviation in (lambda t: t.std(0), lambda t: t.std(1), lambda t: t.std()):
        got, want = deviation(x), deviation(exact)
        assert np.allclose(got.detach(), want.detach(), rtol=1e-5, atol=0)
        (slope,), (true,) = (torch.autograd.grad(y.sum(), t) for y, t in ((got, x), (want, exact)))
        assert np.allclose(slope, true, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("value", [None, "a", [], (1,), [1.0], {}])
def test_what_is_no_number_fills_nothing(value):
    x, mask, index = torch.ones(3), torch.tensor([True, False, True]), torch.tensor([0])
    calls = (
        lambda: torch.full_like(x, value), lambda: x.clone().fill_(value),
        lambda: torch.fill(x, value), lambda: x.masked_fill(mask, value),
        lambda: x.index_fill(0, index, value), lambda: x.scatter(0, index, value),
        lambda: torch.linspace(0, value, 3),
    )  # fmt: skip
    for call in calls:
        with pytest.raises((TypeError, RuntimeError)):
            call()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_softmax_and_rms_norm_of_a_transpose_lie_in_c_order(dtype):
    x = torch.arange(24.0).reshape(4, 6).t().to(dtype)
    for y in (x.softmax(0), x.softmax(1), x.log_softmax(1), torch.rms_norm(x, (4,))):
        assert y.stride() == (4, 1)
