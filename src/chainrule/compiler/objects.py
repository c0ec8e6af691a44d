"""Machine code in memory: out of the cache on disk without LLVM, else compiled and kept there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from . import host, store
from .native.linking import Code, Unsupported

_FORMAT = "objects 1"


class Loaded:
    """The functions of an object file; kept alive as long as they may be called."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        try:
            self._linked: Any = Code(code, symbol)
        except Unsupported:
            from . import llvm

            self._linked = llvm.Compiled.from_object(code, symbol)

    def address(self, name: str) -> int:
        """Where a function's code is."""
        return self._linked.address(name)

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """The function `i64 name(ptr, ...)` as a Python callable that releases the GIL."""
        address = self.address(name)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * arguments)(address)


def cached(text: str) -> Loaded:
    """The code of a module."""
    key = repr((_FORMAT, text, host.processor(), host.llvm_found()))
    code = store.read(key)
    if code is None:
        code = compiled(text)
        store.write(key, code)
    return Loaded(code)


def named(name: str, text: Callable[[], str]) -> Loaded:
    """The code of a module that only the package's files decide: no text if the cache has it."""
    stamp = host.package_stamp()
    if stamp is None:
        return cached(text())
    key = repr((_FORMAT, name, stamp, host.processor(), host.llvm_found()))
    code = store.read(key)
    if code is not None:
        return Loaded(code)
    made = cached(text())
    store.write(key, made.code)
    return made


def compiled(text: str) -> bytes:
    """The object file of a module."""
    from . import llvm

    return llvm.plan_object(text)


def symbol(name: str) -> int | None:
    """The address of a function that compiled code calls by name; None if it is not ours."""
    if name == "chainrule_pool_run":
        from . import pool

        threads = pool.shared()
        return None if threads is None else threads.run_address
    if name in ("chainrule_gemm_f32", "chainrule_gemm_f64"):
        from . import gemm

        product = gemm.shared()
        dtype = "float32" if name.endswith("32") else "float64"
        return None if product is None else product.address(dtype)
    if name.startswith("chainrule_job_"):
        from .native import library

        job, _, kind = name.removeprefix("chainrule_job_").rpartition("_")
        return library.job(job, kind)
    if name in ("chainrule_sgemm", "chainrule_dgemm"):
        from . import blas

        found = blas.find()
        return None if found is None else getattr(found, name.removeprefix("chainrule_"))
    return None


def plan_target(double: bool) -> host.Target:
    """The machine with the threads and products that plans share; `double`: of float64 too."""
    from . import gemm, pool

    plain = host.target()
    threads, product = pool.shared(), gemm.shared()
    if threads is None or product is None:
        return plain._replace(threads=0)
    if any(product.address(d) is None for d in ("float32", "float64")[: 1 + double]):
        return plain._replace(threads=0)
    return plain._replace(threads=pool.thread_count())
