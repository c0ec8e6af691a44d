"""A process that forks while other threads load or compile kernels: the child goes on."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, threading, time
import chainrule as torch
from chainrule.ops import kernels
from chainrule.ops.rng._generator import default_generator
from chainrule.compiler import compiled_function
from chainrule.compiler.machine import llvm
from chainrule.compiler.native import library

lock = {
    "capture": compiled_function._CAPTURING,
    "kernels": kernels._lock,
    "library": library._lock,
    "llvm": llvm._lock,
    "random numbers": default_generator.lock,
}[sys.argv[1]]
held = threading.Event()

def holds():
    with lock:
        held.set()
        time.sleep(0.3)

threading.Thread(target=holds).start()
held.wait()
child = os.fork()
if not child:
    signal.alarm(60)
    torch.sort(torch.rand(100_000))
    os._exit(0 if lock.acquire(timeout=1) else 3)
assert os.waitpid(child, 0)[1] == 0
assert lock.acquire(timeout=1)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks")
@pytest.mark.parametrize("lock", ["capture", "kernels", "library", "llvm", "random numbers"])
def test_a_child_never_waits_for_a_thread_that_it_does_not_have(lock):
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM, lock], timeout=120)
    assert run.returncode == 0
