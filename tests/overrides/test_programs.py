"""Classes and modes with `__torch_function__` see and decide what they do with PyTorch."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .cases import CALLS, PROGRAMS
from .dispatch_cases import PROGRAMS as DISPATCH_PROGRAMS

ROOT = Path(__file__).parents[2]
RECORDED = json.loads((ROOT / "tests" / "recorded" / "overrides.json").read_text())
RUN = """
import sys, warnings
sys.path.insert(0, {root!r})
warnings.simplefilter("ignore")
import chainrule.run
chainrule.run.install()
import torch
from tests.overrides.cases import CALLS, PROGRAMS
from tests.overrides.dispatch_cases import PROGRAMS as DISPATCH_PROGRAMS, SKIPPED
program = (PROGRAMS | DISPATCH_PROGRAMS)[{name!r}]
exec(compile(program, {name!r}, "exec"), {{"torch": torch, "CALLS": CALLS, "SKIPPED": SKIPPED}})
"""


@pytest.mark.parametrize("name", [*PROGRAMS, *DISPATCH_PROGRAMS])
def test_prints_what_pytorch_prints(name):
    # A process of its own: what overrides nothing until then is part of the test.
    code = RUN.format(root=str(ROOT), name=name)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ran.stdout.splitlines() == RECORDED[name], ran.stderr


def test_the_programs_call_a_hundred_functions():
    assert len(CALLS.replace("\n", "|").split("|")) > 100
