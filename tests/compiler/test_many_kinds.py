"""Functions called with many lengths: a few get plans at once, others when they come often."""

import pytest

import chainrule as torch
from chainrule.compiler.compiled_function import _KINDS, _OFTEN

pytestmark = pytest.mark.jit


def plans(function):
    return sum(entry.captures for entry in function._entries.values())


def test_an_epoch_over_many_lengths_makes_few_plans():
    double = torch.compile(lambda x: x * 2 + 1)
    for _ in range(3):
        for length in range(1, 41):
            x = torch.arange(float(length))
            assert double(x).tolist() == (x * 2 + 1).tolist()
    assert plans(double) == _KINDS


def test_a_length_that_comes_often_gets_a_plan_of_its_own():
    double = torch.compile(lambda x: x * 2 + 1)
    for length in range(1, 20):
        for _ in range(4):
            double(torch.ones(length))
    assert plans(double) == _KINDS
    assert f"of {_OFTEN + 1}" in double.explain()
    for _ in range(_OFTEN):
        assert double(torch.ones(19)).tolist() == [3.0] * 19
    assert plans(double) == _KINDS + 1


def test_who_asks_for_one_graph_gets_a_plan_for_every_length():
    double = torch.compile(lambda x: x * 2 + 1, fullgraph=True)
    for length in range(1, 9):
        for _ in range(3):
            double(torch.ones(length))
    assert plans(double) == 8
