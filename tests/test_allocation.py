"""Memory of large arrays is reused from step to step instead of asked for again."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import chainrule as torch
x = torch.ones(256, 256)
x @ x  # the first large product
def step():
    return torch.ones(1 << 20) + 1.0  # 4 MB each
for _ in range(3):
    step()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    step()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(**variables: str) -> int:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={**clean, **variables}
    )
    assert ran.returncode == 0, ran.stderr
    return int(ran.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="a setting of glibc")
def test_steps_of_a_loop_reuse_their_memory():
    assert faults() < 200
    # 20 steps of 2048 pages and more, unless huge pages hide them.
    assert faults(MALLOC_MMAP_THRESHOLD_="131072") > faults()
