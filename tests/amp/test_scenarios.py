"""Mixed precision does what PyTorch's does: programs whose outcome was recorded with PyTorch."""

import pytest
import scenario

import chainrule

from . import scenarios

RECORDED = scenario.recorded("amp")
RUNS = scenario.scenarios_of(scenarios)


def test_everything_is_recorded():
    assert set(RECORDED) == set(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_does_what_pytorch_does(name):
    wanted, found = RECORDED[name], scenario.outcome(RUNS[name], chainrule)
    assert found.get("warned", []) == wanted.get("warned", [])
    if "error" in wanted:
        assert found.get("error") == wanted["error"], found
        assert wanted["text"][:45].split("\n")[0] in found["text"]
    else:
        # One unit of bfloat16's last place: products are summed in another order.
        assert scenario.same(found.get("value"), wanted["value"], rel=8e-3), (found, wanted)
