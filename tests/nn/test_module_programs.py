"""Modules behave as PyTorch's: programs whose output was recorded with PyTorch."""

import json
from pathlib import Path

import pytest

import chainrule

from .module_programs import all_cases

RECORDED = json.loads(
    (Path(__file__).parents[1] / "recorded" / "modules.json").read_text(encoding="utf-8")
)
CASES = all_cases()


@pytest.mark.parametrize("case", CASES, ids=[case.key for case in CASES])
def test_prints_what_pytorch_prints(case):
    printed, problem = case.run(chainrule)
    recorded = RECORDED[case.key]
    if problem is not None and "error" not in recorded:
        raise problem
    assert printed.replace("chainrule.nn", "torch.nn") == recorded["printed"]
    if "error" in recorded:
        assert type(problem).__name__ == recorded["error"]
        assert case.phrase in str(problem)


def test_the_record_is_up_to_date():
    assert {case.key: case.program for case in CASES} == {
        key: entry["program"] for key, entry in RECORDED.items()
    }
