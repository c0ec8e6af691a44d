"""Ctrl-C is not lost in what runs when an object ends: that is C code, or sends it again."""

import ast
import gc
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import chainrule as torch
from chainrule import memory

SOURCE = Path(torch.__file__).parent
# Python code at an object's end: lost if a KeyboardInterrupt arrives in it.
PYTHON_CALLBACKS = {"WeakSet", "WeakKeyDictionary", "WeakValueDictionary", "WeakMethod"}
ALLOWED = {
    "tensor/sharing.py": "os.close is C code",
    "utils/data/workers.py": "waits, and sends the signal again",
}


def test_nothing_runs_python_code_when_an_object_ends():
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        place = file.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(file.read_text())):
            name = getattr(node, "attr", getattr(node, "id", getattr(node, "name", "")))
            is_method = isinstance(node, ast.FunctionDef) and name == "__del__"
            if (name in PYTHON_CALLBACKS or name == "finalize" or is_method) and (
                place not in ALLOWED
            ):
                found.append(f"{place}:{node.lineno} {name}")
            called = getattr(node.func, "attr", "") if isinstance(node, ast.Call) else ""
            if called in ("ref", "proxy") and isinstance(node, ast.Call) and len(node.args) > 1:
                found.append(f"{place}:{node.lineno} a callback")
    assert not found


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer")
def test_interrupts_while_graphs_end_under_a_memory_report_all_arrive():
    program = """
import signal, sys
import chainrule as torch
from chainrule import memory
class Stop(KeyboardInterrupt): ...
caught = sent = 0
def stop(*_):
    global sent
    sent += 1
    raise Stop
signal.signal(signal.SIGALRM, stop)
x = torch.ones(8, requires_grad=True)
while sent < 40:
    try:
        with memory.track():
            signal.setitimer(signal.ITIMER_REAL, 0.004)
            while True:
                y = x
                for _ in range(60): y = y * x
                del y  # sixty nodes end here
    except Stop:
        caught += 1
print(sent, caught)
"""
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert "ignored" not in run.stderr, run.stderr[-500:]
    sent, caught = run.stdout.split()
    assert sent == caught


def test_memory_that_ended_graphs_held_is_let_go():
    x = torch.ones(1000, requires_grad=True)
    with memory.track() as report:
        y = (x * x) * x
        held = report.saved_now
        del y
        gc.collect()
        x.detach() * 2
        assert report.saved_now < held
