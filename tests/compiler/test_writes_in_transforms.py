"""A transform that writes into a tensor from outside is refused in traced calls, too."""

import warnings
from typing import Any

import pytest

import chainrule as torch

# What is written when `flag` is set; `c` is global, `made` a tensor that the call makes first.
WRITES = {
    "a global": "c.add_(1)",
    "an argument": "x.mul_(2)",
    "what was computed before": "computed.add_(1)",
    "what was made before": "made.add_(1)",
}
TRANSFORMS = {
    "grad": "torch.func.grad(inner)(w)",
    "vmap of grad": "torch.func.vmap(torch.func.grad(inner))(torch.stack([w, w]))",
    "vjp": "torch.func.vjp(inner, w)[1](torch.tensor(1.0))[0]",
}
PROGRAM = """
w, c, flag = torch.arange(3.0) + 1, torch.ones(3), False
def f(x):
    computed, made = x * 2, torch.zeros(3)
    def inner(w):
        local = torch.zeros(3)
        local.add_(w)[0] = 2.0
        if flag:
            {write}
        return (local * x * (computed + made)).sum()
    return {transform}
"""


def _run(program, schedule, compiled):
    space: dict[str, Any] = {"torch": torch}
    exec(program, space)
    f: Any = space["f"]
    f = torch.compile(f) if compiled else f
    seen = []
    for flag in schedule:
        space["flag"], x = flag, torch.ones(3)
        try:
            seen.append(f(x).tolist())
        except RuntimeError as error:
            seen.append(str(error).splitlines()[0])
        seen.append((x.tolist(), space["c"].tolist()))
    return seen


@pytest.mark.parametrize("schedule", [(1, 1, 1), (0, 1, 1)], ids=str)
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_writes_to_outside_are_refused_in_every_call(write, transform, schedule):
    program = PROGRAM.format(write=write, transform=transform)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which says that f runs eagerly
        found = _run(program, schedule, compiled=True)
    assert found == _run(program, schedule, compiled=False)


def test_a_refusal_that_is_caught_keeps_its_effects():
    c = torch.ones(3)

    def f(x):
        def inner(w):
            c.add_(1)
            return (w * x).sum()

        try:
            return torch.func.grad(inner)(x)
        except RuntimeError:
            return c * 3

    compiled = torch.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(5):
            assert compiled(torch.ones(3)).tolist() == [3, 3, 3]
    assert c.tolist() == [1, 1, 1]
