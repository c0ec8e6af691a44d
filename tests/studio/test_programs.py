"""Files and texts as something to trace."""

import pytest

import chainrule as torch
from chainrule.studio.programs import ProgramError, trace_program

FUNCTIONS = """
import math
import chainrule as torch

SCALE = 3.0

def first(x):
    return x * SCALE

def second(x, power=2.0):
    y = x ** power
    return y.log()
"""

TRAINING = """
import chainrule as torch

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
x, target = torch.randn(8, 3), torch.randn(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loss = ((model(x) - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
raise SystemExit("the rest need not run")
"""


def test_a_function_by_name_at_a_point():
    document = trace_program(FUNCTIONS, "two.py", "second", {"x": 3}).document
    assert document["functions"] == ["first", "second"] and document["function"] == "second"
    assert document["files"][0]["lines"][10].strip() == "y = x ** power"
    node = next(n for n in document["nodes"] if n["name"] == "y")
    assert (node["line"], node["numbers"]) == (11, "3 ** 2")


def test_the_last_function_is_taken_and_inputs_without_value_are_told():
    document = trace_program(FUNCTIONS, "two.py", at={"gone": 5}).document
    assert document["function"] == "second"
    assert "x had no value" in document["notes"][-1]


def test_edited_text_is_what_runs_and_what_is_shown():
    trace_program(FUNCTIONS, "two.py", "first", {"x": 1})
    edited = FUNCTIONS.replace("SCALE = 3.0", "SCALE = 4.0")
    document = trace_program(edited, "two.py", "first", {"x": 2}).document
    assert document["nodes"][document["output"]["node"]]["outputs"][0]["numbers"] == [8.0]
    assert "SCALE = 4.0" in document["files"][0]["lines"]


@pytest.mark.parametrize("step", [1, 3])
def test_a_training_script_is_stopped_at_the_pass_asked_for(step):
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 1)
    x, target = torch.randn(8, 3), torch.randn(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(step):
        loss = ((model(x) - target) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        expected = model.weight.grad.clone()
        optimizer.step()
    document = trace_program(TRAINING, "train.py", step=step).document
    leaves = {n["id"]: n["name"] for n in document["nodes"] if n["kind"] == "parameter"}
    grads = {
        leaves[s["node"]]: s["gradient"]["numbers"]
        for s in document["backward"]
        if s["kind"] == "leaf"
    }
    assert grads["model.weight"] == expected.reshape(-1).tolist()
    shown = document["nodes"][document["output"]["node"]]["outputs"][0]["numbers"][0]
    assert shown == loss.item()


def test_what_cannot_be_traced_says_why():
    with pytest.raises(ProgramError, match="no function 'third'; it has: first, second"):
        trace_program(FUNCTIONS, "two.py", "third")
    with pytest.raises(ProgramError, match="defines no function and calls no backward"):
        trace_program("x = 1\n", "empty.py")
    once = TRAINING.replace("range(4)", "range(2)").rpartition("raise")[0]
    with pytest.raises(ProgramError, match="ran 2 backward passes; there is no number 5"):
        trace_program(once, "train.py", step=5)
    with pytest.raises(SyntaxError):
        trace_program("def f(:\n", "broken.py")
