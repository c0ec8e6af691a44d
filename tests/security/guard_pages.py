"""Run the samples of the ops on arrays that touch pages nobody may read: run by test_guard_pages.

Every array is placed once so that its last byte is the last before such a page, and once so that
its first byte is the first after one. A kernel that reads or writes one element too far ends the
process; the last line of the output then names the case.
"""

import ctypes
import mmap
import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from ops.harness import all_cases, called, flat, is_tensor

import chainrule as torch
from chainrule.compiler.compiled_function import CompiledFunction

_PAGE = mmap.PAGESIZE
_LIBC = ctypes.CDLL(None, use_errno=True)


def guarded(array: np.ndarray, at_end: bool) -> np.ndarray:
    """A copy whose memory touches a closed page at its end or at its start."""
    size = -(-max(array.nbytes, 1) // _PAGE) * _PAGE
    block = mmap.mmap(-1, size + 2 * _PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(block))
    for closed in (start, start + _PAGE + size):
        if _LIBC.mprotect(ctypes.c_void_p(closed), ctypes.c_size_t(_PAGE), 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    offset = _PAGE + (size - array.nbytes if at_end else 0)
    # The array alone keeps its block: a process may have no more than 65,530 of them.
    made = np.ndarray(array.shape, array.dtype, block, offset)
    made[...] = array
    return made


def inputs(case, dtype: str, at_end: bool) -> list[torch.Tensor]:
    made = []
    for array in case.sample.arrays():
        narrow = array.dtype.char in "dD" and dtype == "float32"
        kind = array.astype("F" if array.dtype.char == "D" else "f") if narrow else array
        tensor = torch.from_numpy(guarded(np.ascontiguousarray(kind), at_end))
        made.append(tensor.requires_grad_() if tensor.is_floating_point() else tensor)
    return made


def run(case, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Results and gradients of one sample."""
    outs = [o for o in flat(called(torch, case.path, case.sample, tensors)) if is_tensor(o)]
    tracked = [o for o in outs if o.requires_grad and not o.is_complex()]
    wanted = [t for t in tensors if t.requires_grad]
    if tracked and wanted:
        torch.autograd.grad([o.sum() for o in tracked], wanted, allow_unused=True)
    return [o.detach() for o in outs]


def main(start: int, step: int, compiled: bool) -> None:
    warnings.simplefilter("ignore")
    done = 0
    for case in all_cases()[start::step]:
        for dtype in ("float32",) if compiled else ("float32", "float64"):
            for at_end in (True, False):
                print(f"{case.key} {dtype} {'end' if at_end else 'start'}", flush=True)

                def function(*tensors, case=case):
                    return run(case, list(tensors))

                called_often = CompiledFunction(function) if compiled else function
                try:
                    for _ in range(4 if compiled else 1):
                        called_often(*inputs(case, dtype, at_end))
                except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
                    continue  # not for this type
                done += not compiled or any(e.runners for e in called_often._entries.values())
    print(f"done {done}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "compiled")
