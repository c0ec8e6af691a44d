"""A few hundred files of the fuzzer, always the same ones: nothing may be found in them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_hostile_files_do_nothing_but_fail():
    run = subprocess.run(
        [sys.executable, "-m", "fuzz.files", "--files", "300"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert "300 files" in run.stdout and "loaded" in run.stdout and "refused" in run.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_objects_at_the_edge_of_the_allowance_stay_within_it():
    """What a file's many small objects take beyond their own sizes counts too."""
    run = subprocess.run(
        [sys.executable, "-m", "fuzz.files", "--files", "1", "--first", "61001399"],
        cwd=ROOT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


def test_the_fuzzer_notices_what_it_looks_for(tmp_path):
    """A file that is trusted and runs something, and an array that lies about its memory."""
    program = """
import os, sys
import numpy as np
import chainrule as torch
from fuzz.files.watch import Watch, outside
class Runs:
    def __reduce__(self):
        return os.system, ("true",)
torch.save(Runs(), sys.argv[1])
watch = Watch()
watch.on = True
torch.load(sys.argv[1], weights_only=False)
watch.on = False
assert any("os.system" in event for event in watch.events), watch.events
whole = np.zeros(4)
assert outside(whole[1:]) is None
lies = np.lib.stride_tricks.as_strided(whole, (5,), (8,))
assert "reaches from 0 to 40 in memory of 32 bytes" in outside(lies)
"""
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "runs.pt")],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
