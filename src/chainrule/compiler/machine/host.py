"""The machine this process runs on and the package's own files, told without loading LLVM."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from typing import NamedTuple

from ...ops.kernels import IMPORTED
from . import code_cache

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Target(NamedTuple):
    """What code generation must know of the machine."""

    vector_bytes: int
    registers: int  # vector registers
    blas_int: str | None  # LLVM type of BLAS integers; None when there is no BLAS to call
    threads: int = 1  # that share large loops and products; 0: there is no pool


@functools.cache
def processor() -> str:
    """What decides which instructions there are."""
    try:
        with open("/proc/cpuinfo") as file:
            first = file.read().split("\n\n")[0]
        told = ("model", "flags", "cpu family", "Features", "CPU")
        return "\n".join(line for line in first.splitlines() if line.startswith(told))
    except OSError:
        return repr((sys.platform, os.environ.get("PROCESSOR_IDENTIFIER")))


@functools.cache
def target() -> Target:
    """The machine as code generation sees it."""
    from . import blas

    features = _features()
    wide = {"avx512f", "avx512vl"} <= features
    vector_bytes = 64 if wide else 32 if "avx2" in features else 16
    found = blas.find()
    return Target(vector_bytes, 32 if wide else 16, None if found is None else f"i{found.int_bits}")


def _features() -> set[str]:
    for line in processor().splitlines():
        if line.startswith("flags"):
            return set(line.partition(":")[2].split())
    from . import llvm

    return {name for name, there in llvm.features().items() if there}


@functools.cache
def multiplies_halves() -> bool:
    """Whether there are instructions that multiply pairs of bfloat16 and add them as float32."""
    return target().vector_bytes == 64 and bool({"avx512_bf16", "avx512bf16"} & _features())


@functools.cache
def llvm_found() -> tuple[str, int] | None:
    """Where llvmlite is installed and since when; None if it is not."""
    if "llvmlite" in sys.modules and sys.modules["llvmlite"] is None:
        return None
    found = importlib.util.find_spec("llvmlite")
    if found is None or found.origin is None:
        return None
    try:
        return found.origin, os.stat(found.origin).st_mtime_ns
    except OSError:
        return found.origin, 0


def llvm_available() -> bool:
    """Whether machine code can be made here; CHAINRULE_LLVM=0 says no."""
    if os.environ.get("CHAINRULE_LLVM") == "0":
        return False
    return llvm_found() is not None


@functools.cache
def package_stamp() -> str | None:
    """A digest of name, length and time of the package's files: they decide what code there is.

    None if one was written after this process began to import them: what is in memory may then be
    another version, whose code must not go by these files.
    """
    stamps = []
    folders = [_PACKAGE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    if max(status.st_mtime, status.st_ctime) >= IMPORTED:
                        return None
                    stamps.append((entry.path, status.st_size, status.st_mtime_ns))
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return code_cache.sha256(repr(sorted(stamps)).encode()).hexdigest()
