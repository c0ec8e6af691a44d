"""The count of array memory: live and peak bytes, and the names scripts ask by."""

import os
import subprocess
import sys

import numpy as np
import pytest

import chainrule as torch
from chainrule.ops import allocation

MEGABYTE = 1 << 20
pytestmark = pytest.mark.skipif(not allocation.count(), reason="needs machine code")


def test_live_bytes_follow_arrays():
    before = allocation.live_bytes()
    x = np.ones(MEGABYTE, np.uint8)
    assert allocation.live_bytes() - before == MEGABYTE
    view = x[::2]
    assert allocation.live_bytes() - before == MEGABYTE
    del x
    assert allocation.live_bytes() - before == MEGABYTE  # the view holds it
    del view
    assert allocation.live_bytes() == before


def test_reallocated_memory_is_counted_once():
    before = allocation.live_bytes()
    x = np.ones(MEGABYTE, np.uint8)
    x.resize(3 * MEGABYTE, refcheck=False)
    assert allocation.live_bytes() - before == 3 * MEGABYTE
    del x
    assert allocation.live_bytes() == before


def test_cleared_memory_is_counted():
    before = allocation.live_bytes()
    x = np.zeros(MEGABYTE, np.uint8)
    assert allocation.live_bytes() - before == MEGABYTE
    del x
    assert allocation.live_bytes() == before


def test_peaks_are_independent_of_each_other():
    outer = allocation.Peak()
    start = outer.bytes
    np.empty(4 * MEGABYTE, np.uint8)
    inner = allocation.Peak()
    np.empty(MEGABYTE, np.uint8)
    assert inner.bytes - start == MEGABYTE
    assert outer.bytes - start == 4 * MEGABYTE
    outer.reset()
    assert outer.bytes == start
    assert inner.bytes - start == MEGABYTE


def test_scripts_that_ask_cuda_are_told_of_this_memory():
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    x = torch.empty(MEGABYTE, dtype=torch.uint8)
    assert torch.cuda.memory_allocated() - before == MEGABYTE
    del x
    assert torch.cuda.memory_allocated() == before
    assert torch.cuda.max_memory_allocated() - before == MEGABYTE
    assert torch.cuda.memory_stats()["allocated_bytes.all.peak"] - before == MEGABYTE
    assert "no CUDA device" in torch.cuda.memory_summary()
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total


def test_without_machine_code_nothing_is_counted_and_the_summary_says_so():
    program = (
        "import chainrule as torch\n"
        "x = torch.ones(1000, 1000)\n"
        "print(torch.cuda.memory_allocated())\n"
        "print(torch.cuda.memory_summary())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, env={**os.environ, "CHAINRULE_KERNELS": "0"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("0\n")
    assert "not counted: machine code is switched off" in ran.stdout
