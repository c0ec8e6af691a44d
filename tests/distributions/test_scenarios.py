"""Distributions do what PyTorch's do: programs whose outcome was recorded with PyTorch."""

import pytest
import scenario

import chainrule

from . import scenarios

RECORDED = scenario.recorded("distribution_programs")
RUNS = scenario.scenarios_of(scenarios)


def test_everything_is_recorded():
    assert set(RECORDED) == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_does_what_pytorch_does(name):
    wanted, found = RECORDED[name], scenario.outcome(RUNS[name], chainrule)
    assert found.get("warned", []) == wanted.get("warned", [])
    if "error" in wanted:
        assert found.get("error") == wanted["error"], found
        assert wanted["text"][:50].split("\n")[0].strip() in found["text"]
    else:
        assert scenario.same(found.get("value"), wanted["value"], 2e-5, 1e-6), (found, wanted)
