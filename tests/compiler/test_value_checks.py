"""Compiled code checks the indices and class numbers that eager code checks, before it writes."""

from collections.abc import Callable
from typing import Any

import pytest

import chainrule as torch
from chainrule import nn, optim
from chainrule.nn import functional as F


def numbers(*values: int) -> torch.Tensor:
    return torch.tensor(values)


Table = torch.Tensor
# name: (function of a 5x4 table and an index tensor, index tensor with one number chosen, length)
USES: dict[str, tuple[Callable[[Table, torch.Tensor], Any], Callable[[int], torch.Tensor], int]] = {
    "index_select": (lambda x, i: x.index_select(0, i), lambda k: numbers(0, k), 5),
    "getitem": (lambda x, i: x[i], lambda k: numbers(0, k), 5),
    "getitem of two": (lambda x, i: x[i, numbers(0, 1)], lambda k: numbers(0, k), 5),
    "setitem": (lambda x, i: x.__setitem__(i, 1.0), lambda k: numbers(0, k), 5),
    "setitem of a copy": (lambda x, i: x.clone().__setitem__(i, 1.0), lambda k: numbers(0, k), 5),
    "index_put": (lambda x, i: x.index_put((i,), torch.ones(4)), lambda k: numbers(0, k), 5),
    "index_put, added": (
        lambda x, i: x.index_put((i,), torch.ones(4), accumulate=True),
        lambda k: numbers(0, k),
        5,
    ),
    "first offset": (
        lambda x, i: F.embedding_bag(numbers(0, 1), x, i - 1),
        lambda k: numbers(k, 2),
        2,
    ),
    "last offset": (
        lambda x, i: F.embedding_bag(numbers(0, 1), x, i, include_last_offset=True),
        lambda k: numbers(0, k + 1),
        2,
    ),
    "ctc_loss": (
        lambda x, i: F.ctc_loss(x[:, None].log_softmax(-1), i[None], (5,), (2,)),
        lambda k: numbers(1, k),
        4,
    ),
    "index_put_": (lambda x, i: x.index_put_((i,), torch.ones(4)), lambda k: numbers(0, k), 5),
    "index_add": (lambda x, i: x.index_add(0, i, torch.ones(2, 4)), lambda k: numbers(0, k), 5),
    "index_add_": (lambda x, i: x.index_add_(0, i, torch.ones(2, 4)), lambda k: numbers(0, k), 5),
    "index_copy_": (lambda x, i: x.index_copy_(0, i, torch.ones(2, 4)), lambda k: numbers(0, k), 5),
    "index_fill_": (lambda x, i: x.index_fill_(0, i, 2.0), lambda k: numbers(0, k), 5),
    "gather": (lambda x, i: x.gather(0, i[None]), lambda k: numbers(0, k, 1, 1), 5),
    "take": (lambda x, i: x.take(i), lambda k: numbers(0, k), 20),
    "put_": (lambda x, i: x.put_(i, torch.ones(2)), lambda k: numbers(0, k), 20),
    "scatter": (lambda x, i: x.scatter(0, i[None], 1.0), lambda k: numbers(0, k, 1, 1), 5),
    "scatter_add_": (
        lambda x, i: x.scatter_add_(0, i[None], torch.ones(1, 4)),
        lambda k: numbers(0, k, 1, 1),
        5,
    ),
    "cross_entropy": (F.cross_entropy, lambda k: numbers(0, 1, 2, 3, k), 4),
    "cross_entropy, weights": (
        lambda x, i: F.cross_entropy(x, i, weight=torch.ones(4)),
        lambda k: numbers(0, 1, 2, 3, k),
        4,
    ),
    "cross_entropy, smooth": (
        lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1),
        lambda k: numbers(0, 1, 2, 3, k),
        4,
    ),
    "nll_loss": (F.nll_loss, lambda k: numbers(0, 1, 2, 3, k), 4),
    "one_hot": (lambda x, i: F.one_hot(i, 5), lambda k: numbers(0, k), 5),
    "embedding": (lambda x, i: F.embedding(i, x), lambda k: numbers(0, k), 5),
    "embedding_bag": (lambda x, i: F.embedding_bag(i, x, numbers(0)), lambda k: numbers(0, k), 5),
    "offsets": (lambda x, i: F.embedding_bag(numbers(0, 1), x, i), lambda k: numbers(0, k), 3),
    "multi_margin_loss": (F.multi_margin_loss, lambda k: numbers(0, 1, 2, 3, k), 4),
    "multilabel_margin_loss": (
        lambda x, i: F.multilabel_margin_loss(x[0], i),
        lambda k: numbers(k, 0, -1, 1),
        4,
    ),
    "lu_unpack": (
        lambda x, i: torch.lu_unpack(x[:4], i)[0],
        lambda k: numbers(k, 2, 3, 4).int(),
        5,
    ),
    "lu_solve": (
        lambda x, i: torch.linalg.lu_solve(x[:4], i, torch.ones(4, 1)),
        lambda k: numbers(k, 2, 3, 4).int(),
        5,
    ),
    "searchsorted": (
        lambda x, i: torch.searchsorted(x[0], torch.ones(2), sorter=i),
        lambda k: numbers(0, 1, k, 3),
        4,
    ),
    "polynomial": (
        lambda x, i: torch.special.hermite_polynomial_h(x[0, :2], i),
        lambda k: numbers(0, k),
        10**6,
    ),
    "max_unpool1d": (
        lambda x, i: F.max_unpool1d(x[:1, :2], i[None], 2),
        lambda k: numbers(0, k),
        4,
    ),
}


def outcome(function: Callable[..., Any], table: Table, index: torch.Tensor) -> tuple[Any, ...]:
    """What a call returns or raises, and the table afterwards."""
    try:
        found = function(table, index)
    except Exception as problem:
        return type(problem), str(problem).split("\n")[0], table.tolist()
    return None if found is None else found.tolist(), table.tolist()


@pytest.mark.parametrize("used", [True, False], ids=["used", "unused"])
@pytest.mark.parametrize("name", USES)
def test_wrong_numbers_are_refused_as_in_eager(name, used):
    use, index_with, length = USES[name]
    function = use if used else lambda x, i: (use(x, i), x.sum())[1]
    compiled = torch.compile(function)
    for _ in range(3):
        compiled(torch.ones(5, 4), index_with(1))
    for k in (1, length, length + 7, -1, -length, -length - 1, -100, 1 << 40, -(1 << 40)):
        expected = outcome(function, torch.ones(5, 4), index_with(k))
        assert outcome(compiled, torch.ones(5, 4), index_with(k)) == expected, k
    assert outcome(function, torch.ones(5, 4), index_with(length + 7))[0] in (
        IndexError,
        RuntimeError,
    )


@pytest.mark.parametrize("name", ["getitem", "getitem of two", "index_select", "cross_entropy"])
def test_wrong_numbers_of_examples_are_refused_though_no_result_is_used(name):
    use, index_with, length = USES[name]

    def function(x: torch.Tensor, i: torch.Tensor) -> torch.Tensor:
        torch.func.vmap(lambda j: use(x, j))(torch.stack([i, i]))
        return x * 2

    compiled = torch.compile(function)
    for _ in range(3):
        compiled(torch.ones(5, 4), index_with(1))
    for k in (1, length - 1, length, -length - 1, 1 << 40):
        expected = outcome(function, torch.ones(5, 4), index_with(k))
        assert outcome(compiled, torch.ones(5, 4), index_with(k)) == expected, k


def test_a_step_that_meets_a_wrong_class_changes_nothing():
    model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4))
    optimizer = optim.AdamW(model.parameters(), lr=0.1)

    @torch.compile
    def step(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad(set_to_none=False)
        loss = F.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    x = torch.randn(6, 3)
    for _ in range(4):
        step(x, numbers(0, 1, 2, 3, 0, 1))
    weights = [p.detach().clone() for p in model.parameters()]
    with pytest.raises(IndexError, match="Target 4 is out of bounds"):
        step(x, numbers(0, 1, 2, 3, 4, 1))
    assert all(torch.equal(a, b) for a, b in zip(weights, model.parameters(), strict=True))
    assert step(x, numbers(0, 1, 2, 3, 0, 1)).isfinite()


def test_the_refusal_names_the_line_of_the_program():
    compiled = torch.compile(lambda x, i: F.cross_entropy(x, i))
    for _ in range(4):
        compiled(torch.ones(2, 3), numbers(0, 1))
    with pytest.raises(IndexError, match=r"test_value_checks\.py"):
        compiled(torch.ones(2, 3), numbers(0, 3))


# ---- values of any kind --------------------------------------------------------------------------

Of = Callable[[torch.Tensor], Any]
half = torch.full((3, 3), 0.5)
row = torch.tensor([1.0, 2.0, 4.0])
# name: function of a 3x3 matrix, of which some values are refused
REFUSING: dict[str, Of] = {
    "binary_cross_entropy": lambda x: F.binary_cross_entropy(x, half),
    "its target": lambda x: F.binary_cross_entropy(half, x, weight=half, reduction="none"),
    "BCELoss": lambda x: nn.BCELoss(reduction="sum")(x, half),
    "quantile": lambda x: torch.quantile(row, x[0]),
    "nanquantile": lambda x: torch.nanquantile(row, x[0]),
    "cov": lambda x: torch.cov(half, aweights=x[0]),
    "inv": torch.linalg.inv, "inverse": torch.inverse, "cholesky": torch.linalg.cholesky,
    "solve": lambda x: torch.linalg.solve(x, torch.ones(3, 1)),
    "solve of a vector": lambda x: torch.linalg.solve(x, torch.ones(3)),
    "lu_factor": lambda x: torch.linalg.lu_factor(x)[0],
    "inv_ex": lambda x: torch.linalg.inv_ex(x, check_errors=True)[0],
    "cholesky_inverse": torch.cholesky_inverse,
    "matrix_power": lambda x: torch.linalg.matrix_power(x, -1),
    "tensorinv": lambda x: torch.linalg.tensorinv(x, 1),
    "eigh": lambda x: torch.linalg.eigh(x)[0], "eigvals": lambda x: torch.linalg.eigvals(x).real,
    "svd": lambda x: torch.linalg.svd(x)[1], "svdvals": torch.linalg.svdvals,
    "floor_divide": lambda x: 7 // (4 * x).long(), "remainder": lambda x: 7 % (4 * x).long(),
    "fmod": lambda x: torch.fmod(torch.tensor(7), (4 * x).long()),
    "div, trunc": lambda x: torch.div(7, (4 * x).long(), rounding_mode="trunc"),
    "div, floor": lambda x: torch.div(7, (4 * x).int(), rounding_mode="floor"),
}  # fmt: skip
GOOD = torch.full((3, 3), 0.25) + torch.eye(3) / 2
BAD = {
    "zero": torch.zeros(3, 3), "negative": -torch.eye(3), "large": torch.full((3, 3), 5.0),
    "NaN": torch.full((3, 3), torch.nan), "inf": torch.full((3, 3), torch.inf),
}  # fmt: skip


@pytest.mark.parametrize("used", [True, False], ids=["used", "unused"])
@pytest.mark.parametrize("name", REFUSING)
def test_wrong_values_are_refused_as_in_eager(name, used):
    use = REFUSING[name]
    written = torch.zeros(1)

    def function(x: torch.Tensor) -> Any:
        written.add_(1)
        found = use(x)
        return found if used else x + 1

    compiled = torch.compile(function)
    for _ in range(3):
        compiled(GOOD)
    refused = 0
    for kind, x in BAD.items():
        written.zero_()
        expected = raised_by(function, x), written.item()
        written.zero_()
        assert (raised_by(compiled, x), written.item()) == expected, kind
        refused += expected[0] is not None
    assert refused


def raised_by(function: Of, x: torch.Tensor) -> Any:
    try:
        function(x)
    except Exception as problem:
        return type(problem), str(problem).split("\n")[0]
    return None
