"""Ctrl-C is not lost in what runs when an object ends: that is C code, or sends it again."""

import ast
import gc
import itertools
import subprocess
import sys
from pathlib import Path

import chainrule as torch
from chainrule import memory

SOURCE = Path(torch.__file__).parent
# Python code at an object's end: lost if a KeyboardInterrupt arrives in it.
PYTHON_CALLBACKS = {"WeakSet", "WeakKeyDictionary", "WeakValueDictionary", "WeakMethod"}
ALLOWED = {
    "utils/data/workers.py": "keeps interrupts, waits, and sends the signal again",
    "distributed/stores.py": "keeps interrupts and sends the signal again",
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


def test_no_function_of_python_runs_when_nodes_end_under_a_memory_report():
    x = torch.ones(8, requires_grad=True)
    ran = []
    with memory.track() as report:
        y = (x * x) * x
        sys.setprofile(lambda frame, event, _: ran.append(frame) if event == "call" else None)
        try:
            del y  # a KeyboardInterrupt in a function that runs here would be lost
        finally:
            sys.setprofile(None)
        assert report.saved_now == 0
    assert ran == []


def test_memory_that_ended_graphs_held_is_let_go():
    x = torch.ones(1000, requires_grad=True)
    with memory.track() as report:
        y = (x * x) * x
        held = report.saved_now
        del y
        gc.collect()
        x.detach() * 2
        assert report.saved_now < held


def test_the_tests_can_be_interrupted_where_ctrl_c_is_ignored():
    """As in a job in the background: what tests start must not inherit that."""
    program = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
import conftest
shown = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
print(subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True).stdout)
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.strip() == "True"


def test_compiled_code_of_others_is_imported_with_ctrl_c_afterwards():
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        lines = file.read_text().splitlines()
        for before, line in itertools.pairwise(lines):
            of_others = line.strip().startswith(
                ("import scipy", "from scipy", "from numpy.random", "import numpy.random")
            )
            if of_others and "interrupts.load(" not in before:
                found.append(f"{file.relative_to(SOURCE)}: {line.strip()}")
    assert not found
