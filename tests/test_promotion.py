"""Result types of all pairs of types are PyTorch's: tensors, 0-dim tensors and Python numbers."""

import json
from pathlib import Path

import pytest
from ops.sample import resolve
from promotion_cases import FORMS, LETTERS, NUMBERS, OPS, UNARY, letter, operands, rows

import chainrule

RECORDED = json.loads((Path(__file__).parent / "recorded" / "promotion.json").read_text())


def label(kind: str, position: int) -> str:
    return list(NUMBERS if kind == "number" else LETTERS)[position]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", OPS)
def test_result_type(name: str, form: str):
    left, right = form.split(", ")
    wrong = [
        f"{label(left, i)}, {label(right, j)}: {mine}, PyTorch {theirs}"
        for i, (got, want) in enumerate(
            zip(rows(chainrule, resolve, name, form), RECORDED[name][form], strict=True)
        )
        for j, (mine, theirs) in enumerate(zip(got, want, strict=True))
        if mine != theirs and theirs != "-"
    ]
    assert not wrong, f"{name}({form}): " + "; ".join(wrong)


@pytest.mark.parametrize("name", UNARY)
def test_unary_result_type(name: str):
    [want] = RECORDED[name]["tensor"]
    got = [letter(chainrule, resolve, name, x) for x in operands(chainrule, "tensor")]
    wrong = [
        f"{dtype}: {mine}, PyTorch {theirs}"
        for dtype, mine, theirs in zip(LETTERS, got, want, strict=True)
        if mine != theirs and theirs != "-"
    ]
    assert not wrong, f"{name}: " + "; ".join(wrong)
