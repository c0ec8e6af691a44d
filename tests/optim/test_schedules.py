"""Learning rates (and momenta) of 30 steps are PyTorch's, for every scheduler."""

import json
from pathlib import Path

import numpy as np
import optim_schedules
import pytest

import chainrule as torch

RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "optim_schedules.json"
EXPECTED = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", optim_schedules.ALL)
@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")  # as PyTorch, when nested
def test_sequences_are_those_of_pytorch(key):
    found = optim_schedules.run(torch, key)
    np.testing.assert_allclose(found["rows"], EXPECTED[key]["rows"], rtol=1e-12, atol=1e-15)
    assert found["keys"] == EXPECTED[key]["keys"]
