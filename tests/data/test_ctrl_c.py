"""Ctrl-C is never lost: tried at each function that runs as the workers of a loader go, and while
modules of compiled code are imported, which go on whatever their calls of Python raise."""

import subprocess
import sys

import pytest

# In forks, at one moment each: a signal is handled when a function of Python is entered.
PROGRAM = """
import os, signal, sys, time
import chainrule as torch
from chainrule.utils.data import DataLoader, TensorDataset

data = TensorDataset(torch.zeros(16, 20_000))
ENDS = {"__del__", "_remove", "__call__"}  # of pipes and iterators, weak sets, finalisers


def one_pass():
    for k, _ in enumerate(DataLoader(data, batch_size=4, num_workers=1)):
        if k == 1:
            break


def as_an_object_ends(frame):
    while frame is not None:
        if frame.f_code.co_name in ENDS:
            return True
        frame = frame.f_back
    return False


def interrupted_at(moment):
    seen = 0

    def tracer(frame, event, _):
        nonlocal seen
        if event == "call" and as_an_object_ends(frame):
            seen += 1
            if seen == moment:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)

    try:
        sys.settrace(tracer)
        one_pass()
        sys.settrace(None)
        if seen < moment:
            return 2  # there are no more such moments
        one_pass()
        time.sleep(20)
    except KeyboardInterrupt:
        return 0
    return 1


one_pass()  # imports what it needs
os.register_at_fork(after_in_child=lambda: sys.settrace(None))
moment, code, lost = 1, 0, []
while code != 2:
    child = os.fork()
    if not child:
        os._exit(interrupted_at(moment))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code not in (0, 2):
        lost.append((moment, code))
        break
    moment += 1
print(moment, lost)
"""


def test_ctrl_c_at_every_function_that_runs_as_objects_end():
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    count, lost = run.stdout.strip().split(" ", 1)
    assert int(count) > 20
    assert lost == "[]", run.stderr[-2000:]


IMPORTING = """
import signal, sys
import chainrule as torch

x = torch.tensor([[0.5, 0.25], [0.25, 1.0]], dtype=torch.float64)


def tracer(frame, event, _):
    caller = frame.f_back
    by_compiled_code = caller and caller.f_code.co_name == "_call_with_frames_removed"
    if event == "call" and frame.f_code.co_name == "register" and by_compiled_code:
        sys.settrace(None)
        print("interrupted", flush=True)
        signal.raise_signal(signal.SIGINT)


sys.settrace(tracer)
try:
    USE
except KeyboardInterrupt:
    print("heard", "PACKAGE" in sys.modules)
"""


@pytest.mark.parametrize(
    ("package", "use"),
    [("numpy.random", "torch.rand(1)"), ("scipy.linalg", "torch.matrix_exp(x)")],
)
def test_ctrl_c_while_compiled_code_is_imported(package, use):
    program = IMPORTING.replace("USE", use).replace("PACKAGE", package)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.split("\n")[:2] == ["interrupted", "heard True"], run.stderr[-2000:]
