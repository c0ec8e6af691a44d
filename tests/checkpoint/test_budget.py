"""checkpoint_budget: the plan keeps to its budget, costs what it says and changes no number."""

import copy
import itertools
import re

import pytest

import chainrule as torch
from chainrule import nn
from chainrule.utils.checkpoint import checkpoint_budget
from chainrule.utils.checkpoint_schedule import (
    BlockCost,
    Keep,
    Segment,
    cheapest_within,
    every_block,
    frontier,
    grouped,
    least_memory,
    memory_of,
    square_root,
    ungrouped,
)

from .models import Block, Transformer, agree, gradients, tokens


def transformer(**options):
    torch.manual_seed(0)
    return Transformer(**options)


@pytest.fixture(scope="module")
def unlimited():
    return checkpoint_budget(transformer(), 1e12, tokens())


# ---- on a model ----------------------------------------------------------------------------------


def test_a_large_budget_checkpoints_nothing(unlimited):
    assert unlimited.extra_forwards == 0
    assert unlimited.predicted == unlimited.without == unlimited.measured


@pytest.mark.parametrize("share", [0.75, 0.5, 0.3, 0.15])
def test_the_plan_keeps_to_its_budget(share, unlimited):
    model, words = transformer(), tokens()
    loss, expected = gradients(model, words)
    budget = share * unlimited.without
    plan = checkpoint_budget(model, budget, words)
    assert plan.predicted <= budget
    assert plan.measured <= budget
    Block.calls = 0
    again, found = gradients(model, words)
    assert again == loss
    assert agree(found, expected)
    # Early stop may spare a part of a block, never the call: each block is as heavy as another.
    assert (Block.calls - 12) / 12 == pytest.approx(plan.extra_forwards)


def test_less_memory_costs_more_work(unlimited):
    costs = [
        checkpoint_budget(
            transformer(), share * unlimited.without, tokens(), verify=False
        ).extra_forwards
        for share in (0.9, 0.5, 0.25, 0.15)
    ]
    assert costs == sorted(costs)
    assert costs[0] < costs[-1]


def test_an_impossible_budget_names_the_least_one():
    model = transformer()
    with pytest.raises(ValueError, match="least feasible budget") as problem:
        checkpoint_budget(model, 1000, tokens())
    least = int(re.search(r"is (\d+) bytes", str(problem.value)).group(1))
    plan = checkpoint_budget(model, least, tokens())
    assert plan.predicted == least
    assert plan.measured <= least
    plan.remove()
    with pytest.raises(ValueError, match="least feasible budget"):
        checkpoint_budget(model, least - 1, tokens())


def test_classic_schedules(unlimited):
    root = checkpoint_budget(transformer(), unlimited.without - 1, tokens(), schedule="sqrt")
    every = checkpoint_budget(transformer(), unlimited.without - 1, tokens(), schedule="blocks")
    assert "[0 1 2] [3 4 5] [6 7 8] 9 10 11" in str(root)
    assert root.extra_forwards == pytest.approx(0.75)
    assert every.extra_forwards == pytest.approx(1)
    for plan in (root, every):
        assert plan.measured <= plan.predicted
    with pytest.raises(ValueError, match="schedule should be one of"):
        checkpoint_budget(transformer(), 1e6, tokens(), schedule="cube root")


def test_the_report_says_it_all(unlimited):
    plan = checkpoint_budget(transformer(), 0.3 * unlimited.without, tokens())
    text = str(plan)
    for part in ("12 blocks", "predicted peak", "measured peak", "extra forward work", "order"):
        assert part in text


def test_without_example_inputs_the_first_step_plans(unlimited):
    model, words = transformer(), tokens()
    loss, expected = gradients(model, words)
    plan = checkpoint_budget(model, 0.3 * unlimited.without)
    assert not plan.ready
    with pytest.raises(RuntimeError, match="Run a step first"):
        _ = plan.predicted
    with torch.no_grad():
        model(words)
    assert not plan.ready
    for _ in range(2):
        again, found = gradients(model, words)
        assert plan.ready
        assert again == loss
        assert agree(found, expected)
    assert plan.measure(words) <= plan.budget


def test_dropout_and_running_statistics_are_those_of_the_plain_model():
    def model():
        torch.manual_seed(0)
        # No bias before the norm: its gradient is zero, and what is computed for it rounding.
        layers = [nn.Sequential(nn.Linear(8, 8, bias=False), nn.BatchNorm1d(8), nn.Tanh(),
                                nn.Dropout(0.5)) for _ in range(6)]  # fmt: skip
        return nn.Sequential(*layers)

    x = torch.randn(16, 8)
    plain, planned = model(), model()
    before = copy.deepcopy(planned.state_dict())
    torch.manual_seed(5)
    plan = checkpoint_budget(planned, 4000, x)
    assert torch.rand(1) == (torch.manual_seed(5), torch.rand(1))[1]  # planning draws nothing
    assert all(torch.equal(v, before[k]) for k, v in planned.state_dict().items())
    assert 0 < plan.extra_forwards
    torch.manual_seed(1)
    _, expected = gradients(plain, x)
    torch.manual_seed(1)
    _, found = gradients(planned, x)
    assert agree(found, expected)


def test_blocks_with_more_arguments_and_glue_between_them():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Block(8, heads=2) for _ in range(6)])

        def forward(self, x):
            mask = torch.zeros(x.shape[1], x.shape[1])
            for k, block in enumerate(self.blocks):
                x = block(x, mask=mask) if k % 2 else block(x, mask)
                if k == 2:
                    x = x * 1.5
            return x

    torch.manual_seed(0)
    model, x = Model(), torch.randn(2, 5, 8, requires_grad=True)
    _, expected = gradients(model, x)
    plan = checkpoint_budget(model, 14_000, x)
    assert 0 < plan.extra_forwards
    assert plan.measured <= plan.budget
    _, found = gradients(model, x)
    assert agree(found, expected)


@pytest.mark.parametrize("budget", [30_000, 20_000, 14_000, 9_000])
def test_blocks_that_save_their_own_results(budget):
    """tanh needs its result: computed again, it is in memory twice for a while."""
    torch.manual_seed(0)
    model = nn.Sequential(*[nn.Sequential(nn.Linear(16, 16), nn.Tanh()) for _ in range(8)])
    x = torch.randn(64, 16)
    _, expected = gradients(model, x)
    plan = checkpoint_budget(model, budget, x)
    assert plan.measured <= plan.predicted <= budget
    _, found = gradients(model, x)
    assert agree(found, expected)


def test_removing_the_plan_and_copying_the_model(unlimited):
    model, words = transformer(), tokens()
    _, expected = gradients(model, words)
    plan = checkpoint_budget(model, 0.3 * unlimited.without, words)
    copied = copy.deepcopy(model)
    for one in (copied, model):
        Block.calls = 0
        _, found = gradients(one, words)
        assert Block.calls > 12
        assert agree(found, expected)
    plan.remove()
    Block.calls = 0
    gradients(model, words)
    assert Block.calls == 12


def test_double_backward_through_a_plan(unlimited):
    model, words = transformer(layers=4), tokens(1, 6)
    torch.manual_seed(0)
    weight = model.blocks[0].up.weight

    def second():
        (g,) = torch.autograd.grad(model(words).square().mean(), weight, create_graph=True)
        return torch.autograd.grad(g.square().sum(), weight)[0]

    expected = second()
    checkpoint_budget(model, 40_000, words)
    assert torch.allclose(second(), expected, rtol=1e-4, atol=1e-9)


def test_a_model_without_blocks_is_told_what_to_do():
    with pytest.raises(ValueError, match="has no child modules"):
        checkpoint_budget(nn.Linear(2, 2), 1000, torch.ones(1, 2))
    with pytest.raises(ValueError, match="none of the blocks ran"):
        checkpoint_budget(
            nn.Sequential(nn.Tanh(), nn.Tanh()), 1000, torch.ones(1, 2), blocks=[nn.ReLU()]
        )


# ---- schedules -----------------------------------------------------------------------------------


def brute_force(costs, depth=0):
    """All (memory, work) of schedules in which segments nest at most twice, by trying them all."""

    def schedules(i, j, depth):
        if i == j:
            yield (), 0.0
            return
        for rest, work in schedules(i + 1, j, depth):
            yield (Keep(i), *rest), work
        if depth < 2:
            for k in range(i + 1, j):
                again = sum(c.work for c in costs[i:k])
                inner = list(schedules(i, k, depth + 1))
                for (rest, w1), (items, w2) in itertools.product(schedules(k, j, depth), inner):
                    yield (Segment(i, k, items), *rest), again + w1 + w2

    return [(memory_of(costs, items), work) for items, work in schedules(0, len(costs), depth)]


@pytest.mark.parametrize("seed", range(4))
def test_the_frontier_is_optimal(seed):
    torch.manual_seed(seed)
    numbers = torch.randint(1, 30, (5, 4)).tolist()
    costs = [BlockCost(a, b % 7, float(c), d % 3) for a, b, c, d in numbers]
    found = frontier(costs)
    everything = brute_force(costs)
    for budget in sorted({m for m, _ in everything}):
        best = min(w for m, w in everything if m <= budget)
        mine = cheapest_within(costs, budget)
        assert mine is not None
        assert mine.memory <= budget
        assert mine.work <= best
    assert [s.work for s in found] == sorted((s.work for s in found), reverse=True)
    assert all(memory_of(costs, s.items) == s.memory for s in found)


def test_long_chains():
    costs = [BlockCost(100, 1, 1.0)] * 100
    assert square_root(costs).memory < 0.12 * sum(c.inside for c in costs)
    assert every_block(costs).memory < 0.03 * sum(c.inside for c in costs)
    groups, starts = grouped(costs)
    assert len(groups) <= 40
    assert ungrouped((Keep(0), Segment(1, 2, (Keep(1),))), starts)[-1] == Segment(
        3, 6, (Keep(3), Keep(4), Keep(5))
    )
    plan = cheapest_within(costs, 1000)
    assert plan.memory <= 1000
    assert plan.work < 100
    assert least_memory(costs) < 400
    assert cheapest_within(costs, 100) is None
