"""Every way to write a call that PyTorch accepts is accepted here, with PyTorch's result.

The calls of PyTorch's native functions, methods and nn.functional: by position and by keyword,
with each option, with NumPy's keywords, in the orders of old times.
"""

import json
from pathlib import Path

import pytest

import chainrule

from . import evaluate

FOLDER = Path(__file__).parents[1] / "recorded" / "calls"
CALLS = {
    f"{path.stem}.{name}": calls
    for path in sorted(FOLDER.glob("*.json"))
    for name, calls in json.loads(path.read_text(encoding="utf-8")).items()
}

# call -> why it differs
DIFFERENT = {
    "F.adaptive_max_pool2d(t, 0, 1)": "a number is no flag here",
    "F.fractional_max_pool2d(t, [0, 1], [0, 1], n)": "windows of no elements are refused",
    "torch.linalg.lstsq(n, n, rcond=1)": "rank one by another factorisation",
    "torch.linalg.lstsq(n, n, 1)": "rank one by another factorisation",
}


def test_the_table_is_whole():
    assert len(CALLS) > 1100 and sum(map(len, CALLS.values())) > 7000


@pytest.mark.parametrize("name", CALLS)
def test_accepts_what_pytorch_accepts(name):
    wrong = []
    for call, wanted in CALLS[name].items():
        if call in DIFFERENT:
            continue
        try:
            found = evaluate.run(chainrule, call)
        except Exception as problem:
            wrong.append(f"{call}: {problem!r}")
            continue
        if not evaluate.agree(found, wanted):
            wrong.append(f"{call}: {found}, PyTorch {wanted}")
    assert wrong == []


@pytest.mark.parametrize("call", DIFFERENT)
def test_known_differences_are_still_there(call):
    wanted = next(calls[call] for calls in CALLS.values() if call in calls)
    try:
        found = evaluate.run(chainrule, call)
    except (TypeError, RuntimeError):
        return
    assert not evaluate.agree(found, wanted)
