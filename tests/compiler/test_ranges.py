"""`compile(dynamic=True)`: one plan for a range of lengths, with the results of eager code."""

import numpy as np
import pytest

import chainrule as torch
from chainrule import nn
from chainrule.compiler.capture.ranges import RangeRunner
from chainrule.compiler.passes.lengths import (
    Extent,
    Unfit,
    mask_of,
    padded,
    regrouped,
    unpadded,
)

pytestmark = pytest.mark.jit

LENGTHS = (17, 24, 19, 30, 21, 27)


def range_of(function):
    """The plan for many lengths of a compiled function."""
    plans = {
        id(runner): runner.plan
        for entry in function._entries.values()
        for runner in entry.runners
        if isinstance(runner, RangeRunner)
    }
    return next(iter(plans.values()), None)


def check(function, make, lengths=LENGTHS, rounds=4):
    """Every call gives what eager code gives; the plan for many lengths, if there is one."""
    compiled = torch.compile(function, dynamic=True)
    for _ in range(rounds):
        for n in lengths:
            arguments = make(n)
            want, got = function(*arguments), compiled(*arguments)
            assert got.shape == want.shape
            np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), 2e-5, 1e-5)
    return range_of(compiled)


def vectors(n):
    return (torch.randn(3, n, 4),)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2 + 1,
        lambda x: x.sum(1),
        lambda x: x.mean(),
        lambda x: x.amax(1),
        lambda x: torch.softmax(x, 1),
        lambda x: torch.log(x - x + 0.5).sum(),
        lambda x: x.transpose(1, 2) @ x,
        lambda x: x @ x.transpose(1, 2),
        lambda x: x.flatten(0, 1).std(0),
        lambda x: (x[:, 1:] - x[:, :-1]).square().sum(),
        lambda x: x[:, :5].sum(),
        lambda x: x / x.shape[1],
        lambda x: x + torch.arange(x.shape[1])[:, None],
        lambda x: nn.functional.layer_norm(x, x.shape[-1:]).sum((0, 1)),
    ],
)
def test_programs_with_a_plan_for_all_lengths(function):
    plan = check(function, vectors)
    assert plan is not None
    assert set(plan.plans) == {32}


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.flip(1).cumsum(1),
        lambda x: x[:, -1] * 2,
        lambda x: x[:, -3:].sum(1),
        lambda x: x[:, 2::2].sum(1),
        lambda x: x[:, :28].sum(1),
        lambda x: torch.tril(torch.ones(x.shape[1], x.shape[1])) @ x,
        lambda x: torch.cat([x, x], 1),
        lambda x: x * 2 if x.shape[1] % 2 else x + 1,
        lambda x: x.sum() if x.shape[1] > 20 else x.mean(),
        lambda x: x.reshape(-1, 2).sum(0) + x.shape[1] // 2,
    ],
)
def test_what_depends_on_the_length_in_other_ways_is_right_all_the_same(function):
    check(function, vectors)


def test_what_lies_beyond_the_length_never_counts():
    def infinite_at_the_end(x):
        steps = torch.arange(x.shape[1], 0, -1)
        return (x / steps[:, None]).sum(1)

    check(infinite_at_the_end, vectors)
    check(lambda x: (1 / (x.shape[1] - torch.arange(x.shape[1]))[:, None] * x).sum(1), vectors)


def test_lengths_that_are_given_beside_each_other_belong_together():
    def shifted(x, y):
        return (x[:, 1:] * y).sum()

    plan = check(shifted, lambda n: (torch.randn(2, n), torch.randn(2, n - 1)))
    assert plan is not None


def test_a_number_of_another_call_is_no_part_of_the_range():
    function = torch.compile(lambda x, k: x * k, dynamic=True)
    for _ in range(4):
        for n in LENGTHS[:3]:
            for k in (2, 3):
                assert function(torch.ones(n), k).tolist() == [float(k)] * n


class Reader(nn.Module):
    """A causal transformer of one layer."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(11, 8), nn.Embedding(64, 8)
        self.norm, self.heads = nn.LayerNorm(8), nn.Linear(8, 24)
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 11)

    def forward(self, index):
        x = self.words(index) + self.places(torch.arange(index.shape[1]))
        parts = self.heads(self.norm(x)).chunk(3, -1)
        q, k, v = (p.reshape(*index.shape, 2, 4).transpose(1, 2) for p in parts)
        seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + seen.transpose(1, 2).reshape(x.shape)
        return self.down(nn.functional.gelu(self.up(x)))


def train(wrap, lengths, epochs):
    torch.manual_seed(0)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)

    def step(x, y):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        return loss

    run, losses = wrap(step), []
    for _ in range(epochs):
        for n in lengths:
            x, y = torch.randint(0, 11, (2, n)), torch.randint(0, 11, (2, n))
            losses.append(run(x, y).item())
    return losses, run


def test_training_over_many_lengths_compiles_few_times():
    lengths = [24, 63, *range(25, 63, 4)]
    want, _ = train(lambda f: f, lengths, 4)
    got, run = train(lambda f: torch.compile(f, dynamic=True), lengths, 4)
    np.testing.assert_allclose(got, want, 1e-3)
    plan = range_of(run)
    assert set(plan.plans) == {32, 48, 64}
    joined = [e for e in run._entries.values() if e.runners and e.runners[0].plan is plan]
    assert len(joined) == len(lengths) - 1  # the first length has a plan of its own


def test_arrays_are_padded_and_cut():
    axes = ((2, Extent(-1)), (3,))
    array = np.arange(2 * 4 * 3).reshape(8, 3)
    wide = padded(array, axes, 5, 8)
    assert wide.shape == (14, 3)
    assert (unpadded(wide, axes, 5, 8) == array).all()
    assert mask_of(axes[0], 5, 8).tolist() == ([True] * 4 + [False] * 3) * 2
    assert (wide.reshape(2, 7, 3)[:, 4:] == array.reshape(2, 4, 3)[:, 3:]).all()


def test_reshapes_keep_track_of_the_varying_factor():
    axes = ((4,), (Extent(0),), (6,))
    assert regrouped(axes, [(20, 28), (2, 2), (3, 3)], (5, 7)) == ((4, Extent(0)), (2,), (3,))
    with pytest.raises(Unfit, match="apart"):
        regrouped(axes, [(4, 4), (2, 2), (15, 21)], (5, 7))
