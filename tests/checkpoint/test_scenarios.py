"""Checkpointing does what PyTorch's does: programs whose outcome was recorded with PyTorch."""

import pytest
import scenario

import chainrule

from . import scenarios, selective

RECORDED = scenario.recorded("checkpoint") | scenario.recorded("checkpoint_selective")
RUNS = scenario.scenarios_of(scenarios) | scenario.scenarios_of(selective)
# What must be in our error where it does not begin with PyTorch's words.
PHRASES = {
    "debug_tells_the_operations": "Operations executed during the original forward:",
    "input_modified_in_place": "modified by an inplace operation",
}


def test_everything_is_recorded():
    assert set(RECORDED) == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_does_what_pytorch_does(name):
    wanted, found = RECORDED[name], scenario.outcome(RUNS[name], chainrule)
    assert found.get("warned", []) == wanted.get("warned", [])
    if "error" in wanted:
        assert found.get("error") == wanted["error"], found
        assert PHRASES.get(name, wanted["text"][:60].split("\n")[0]) in found["text"]
    else:
        assert scenario.same(found.get("value"), wanted["value"]), (found, wanted)
