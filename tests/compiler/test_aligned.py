"""Arrays that begin at a cache line: NumPy's memory, placed by machine code."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("llvmlite")

START = """
import threading
import numpy as np
import chainrule as torch

def begins_at(x):
    return np.asarray(x).__array_interface__["data"][0] % 64

first = torch.empty(100, 100)
"""


def run(program: str, **variables: str) -> str:
    environment = {**os.environ, "CHAINRULE_KERNELS": "1", **variables}
    ran = subprocess.run(
        [sys.executable, "-c", START + program], capture_output=True, text=True, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_arrays_of_all_sizes_begin_at_a_line():
    said = run("""
sizes = [1, 3, 17, 100, 1000, 5000, 1 << 20]
kept = [make(n) for n in sizes for make in (torch.empty, torch.zeros, torch.randn, np.zeros)]
print(begins_at(first), {begins_at(x) for x in kept}, {begins_at(torch.exp(x)) for x in kept[::4]})
print(sum(torch.zeros(n).abs().sum().item() for n in sizes))
""")
    assert said.splitlines() == ["0 {0} {0}", "0.0"]


@pytest.mark.parametrize(
    "made",
    ["torch.randn(50, 100)", "torch.rand(5000)", "torch.tensor(np.ones((50, 100), 'f4'))",
     "torch.zeros(5000)", "torch.nn.Linear(50, 100).weight"],
)  # fmt: skip
def test_the_first_large_tensor_does(made):
    environment = {**os.environ, "CHAINRULE_KERNELS": "1"}
    program = f"import numpy as np, chainrule as torch\nprint({made}.data_ptr() % 64)"
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    assert ran.stdout.strip() == "0", ran.stderr


def test_arrays_may_grow_and_shrink():
    said = run("""
x = np.arange(1000)
x.resize(5000, refcheck=False)
print(begins_at(x), x[:1000].sum(), x[1000:].sum())
x.resize(3, refcheck=False)
print(x, np.fromiter((i for i in range(10_000)), np.int64).sum())
""")
    assert said.splitlines() == ["0 499500 0", "[0 1 2] 49995000"]


def test_threads_with_memory_of_their_own_exchange_arrays():
    said = run("""
box = [np.ones(100_000)]

def work():
    del box[0]  # made by the main thread
    box.append(np.ones(200_000))

for _ in range(20):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert box.pop().sum() == 200_000
    box.append(np.ones(100_000))
print("done")
""")
    assert said == "done"


def test_somebody_elses_memory_is_left_alone():
    said = run(
        """
import ctypes
from chainrule.compiler.machine import alignment
theirs = alignment._Handler.from_buffer_copy(
    alignment._Handler.from_address(alignment.capsule_pointer(
        ctypes.cast(alignment.numpy_word(alignment._DEFAULT), ctypes.POINTER(ctypes.py_object))[0],
        alignment._CAPSULE,
    ))
)
theirs.name = b"theirs"
name = ctypes.create_string_buffer(alignment._CAPSULE)
new = ctypes.pythonapi.PyCapsule_New
new.restype = ctypes.py_object
new.argtypes = (ctypes.c_void_p,) * 3
capsule = new(ctypes.addressof(theirs), ctypes.addressof(name), None)
give = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
give(alignment.numpy_word(alignment._SET_HANDLER))(capsule)
print(alignment.begin_at_lines(), np._core.multiarray.get_handler_name())
""",
        CHAINRULE_KEEP_MEMORY="0",
    )
    assert said == "False theirs"


@pytest.mark.parametrize("variable", ["CHAINRULE_KERNELS", "CHAINRULE_KEEP_MEMORY"])
def test_variables_leave_numpy_its_memory(variable):
    said = run("print(np._core.multiarray.get_handler_name())", **{variable: "0"})
    assert said == "default_allocator"
