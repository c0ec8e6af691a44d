"""Orders, splits, batches and the seeds of workers are PyTorch's (tools/record/record_data.py)."""

import json
from pathlib import Path

import pytest

import chainrule as torch
from data.cases import CASES

RECORDED = json.loads((Path(__file__).parents[1] / "recorded" / "data.json").read_text())


@pytest.mark.parametrize("name", CASES)
def test_the_same_as_pytorch(name):
    assert json.loads(json.dumps(CASES[name](torch))) == RECORDED[name]


def test_everything_recorded_is_compared():
    assert CASES.keys() == RECORDED.keys()
