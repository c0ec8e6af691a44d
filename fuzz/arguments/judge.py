"""Make one call and say whether its outcome is one that users may see."""

from __future__ import annotations

import opcode
import re
import resource
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import chainrule

from ..files.watch import reset_peak
from .calls import Trial, trials

SECONDS = 2.0
MEMORY = 1 << 30
# What a call returns was asked for: a layer of a million channels may take what they take.
SECONDS_A_MILLION = 1.0  # numbers returned
MEMORY_A_BYTE = 2.0  # returned
_PACKAGE = str(Path(chainrule.__file__).resolve().parent)
_HERE = str(Path(__file__).resolve().parent)
_RAISE = {opcode.opmap[name] for name in ("RAISE_VARARGS", "RERAISE")}
# What Python says of a call that does not fit the signature: clear, and PyTorch's too.
_BINDING = re.compile(
    r"missing \d+ required|unexpected keyword|multiple values for|takes .*argumen"
)
# NumPy's words for sizes, also where an error of ours passes them on.
_FOREIGN = re.compile(r"array is too big|Maximum allowed (dimension|size)|iterator is too large")
_NEVER = (
    MemoryError, RecursionError, SystemError, NameError, AssertionError, OverflowError,
    StopIteration, UnicodeError, ZeroDivisionError, BufferError, np.exceptions.AxisError,
    np.linalg.LinAlgError,
)  # fmt: skip


def fault_of(problem: BaseException) -> str:
    """Why an error is not one for users, or "" if it is."""
    said = f"{type(problem).__name__}: {str(problem)[:160]!r}"
    if _FOREIGN.search(str(problem)):
        return said
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    code, line = trace.tb_frame.f_code, trace.tb_lineno
    raised = code.co_code[trace.tb_lasti] in _RAISE
    ours = code.co_filename.startswith((_PACKAGE, "<chainrule"))
    where = f"{Path(code.co_filename).name}:{line} {code.co_name}"
    if raised and ours and str(problem) and not isinstance(problem, MemoryError | RecursionError):
        return ""
    if isinstance(problem, _NEVER) or type(problem).__module__.startswith("numpy"):
        return f"{said} at {where}"
    if isinstance(problem, OSError) and problem.filename is not None:
        return ""  # a file that there is not
    if isinstance(problem, TypeError) and _BINDING.search(str(problem)):
        return ""
    if ours and Path(code.co_filename).name == "fetch.py":
        return ""  # the user's dataset, indexed or handed to collate_fn
    if ours:
        return "" if raised else f"{said} at {where}"
    if code.co_filename.startswith(_HERE):  # raised by a function of C, or by nobody
        return "" if isinstance(problem, TypeError | ValueError | RuntimeError) else said
    return f"{said} at {where}"


def leaked(caught: list[Any]) -> str:
    """A warning of NumPy's arithmetic or of its own changes."""
    for w in caught:
        text = str(w.message)
        if text.startswith("Casting complex values to real"):
            continue  # PyTorch's words too
        if "encountered in" in text or "NumPy" in text or w.category.__module__.startswith("numpy"):
            return f"warning: {text[:160]} at {Path(w.filename).name}:{w.lineno}"
    return ""


def _highest() -> int:
    """The most memory that this program ever had, in bytes.

    `getrusage` would count what the process had before it became this program, too.
    """
    text = Path("/proc/self/status").read_text()
    return int(text.split("VmHWM:", 1)[1].split(None, 1)[0]) * 1024


def judge(trial: Trial) -> tuple[str, str]:
    """(outcome, what is wrong): returned, refused, or the kind of the find."""
    before = _highest()
    outcome, fault, result = "returned", "", None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.thread_time()
        try:
            result = trial.run()
        except Exception as problem:
            outcome, fault = "refused", fault_of(problem)
        seconds = time.thread_time() - start
    taken = _highest() - before
    if taken > MEMORY:
        reset_peak()  # costs too much to be done for every call
    if fault:
        return "internal", fault
    if leak := leaked(caught):
        return "warning", leak
    numbers, size = _returned(result)
    if taken > MEMORY + MEMORY_A_BYTE * size:  # which takes its time as well
        return "memory", f"{taken >> 20} MB for a result of {size >> 20} MB"
    if seconds > SECONDS + SECONDS_A_MILLION * numbers / 1e6:
        return "slow", f"{seconds:.1f} s for {numbers} numbers"
    return outcome, ""


def _returned(result: Any) -> tuple[int, int]:
    """How many numbers a call returned in tensors, and their bytes; repeated ones count once."""
    parts = result if isinstance(result, list | tuple) else (result,)
    held = [p.values() if _is_nested(p) else p for p in parts[:100]]
    found = {id(p): p.untyped_storage().nbytes() for p in held if _has_memory(p)}
    numbers = sum(p.numel() for p in held if id(p) in found)
    size = sum(found.values())
    return min(numbers, size), size


def _is_nested(part: Any) -> bool:
    return not isinstance(part, type) and bool(getattr(part, "is_nested", False))


def _has_memory(part: Any) -> bool:
    """Whether it is a tensor whose numbers all lie in one storage."""
    if not isinstance(part, chainrule.Tensor) or part.is_meta:
        return False
    return part.layout is chainrule.strided and not part.is_quantized


@contextmanager
def judging(chosen: list[Trial] | None = None) -> Iterator[Any]:
    """The trial of a worker."""
    limit = 6 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    todo = trials() if chosen is None else chosen

    def run(number: int) -> tuple[str, str, str]:
        return str(todo[number]), *judge(todo[number])

    yield run
