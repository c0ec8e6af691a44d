"""Tensors behave as PyTorch's: programs whose output was recorded with PyTorch."""

import json
from pathlib import Path

import pytest

import chainrule

from .programs import Case, all_cases

RECORDED = json.loads(
    (Path(__file__).parents[1] / "recorded" / "tensor.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("case", all_cases(), ids=lambda c: c.key)
def test_prints_what_pytorch_prints(case: Case):
    wanted = RECORDED[case.key]
    assert wanted["program"] == case.program, "changed since it was recorded: record it again"
    printed, problem = case.run(chainrule)
    if case.phrase is None and problem is not None:
        raise problem
    assert printed == wanted["printed"]
    if case.phrase is not None:
        assert wanted["error"] in [c.__name__ for c in type(problem).__mro__], repr(problem)
        assert case.phrase in str(problem)


def test_nothing_recorded_is_left_untested():
    assert set(RECORDED) == {case.key for case in all_cases()}
