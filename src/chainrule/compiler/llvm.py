"""The one file that imports llvmlite: module text in, callable addresses out."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from . import blas, store
from .codegen import Target

_lock = threading.Lock()
_state: dict[str, Any] = {}


def target() -> Target:
    """The machine this process runs on, as code generation sees it."""
    _initialise()
    return _state["target"]


def plan_target() -> Target:
    """The machine with the threads and products that plans may share, whose symbols it declares."""
    from . import gemm, pool

    plain = target()
    threads, product = pool.shared(), gemm.shared()
    if threads is None or product is None:
        return plain._replace(threads=0)
    for dtype, name in (("float32", "f32"), ("float64", "f64")):
        address = product.address(dtype)
        if address is None:
            return plain._replace(threads=0)
        llvm.add_symbol(f"chainrule_gemm_{name}", address)
    llvm.add_symbol("chainrule_pool_run", threads.run_address)
    return plain._replace(threads=pool.thread_count())


def _initialise() -> None:
    with _lock:
        if "target" in _state:
            return
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features()
        wide = features.get("avx512f", False) and features.get("avx512vl", False)
        vector_bytes = 64 if wide else 32 if features.get("avx2", False) else 16
        found = blas.find()
        if found is not None:
            llvm.add_symbol("chainrule_sgemm", found.sgemm)
            llvm.add_symbol("chainrule_dgemm", found.dgemm)
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=2, jit=True
        )
        _state["machine"] = machine
        _state["target"] = Target(
            vector_bytes, 32 if wide else 16, None if found is None else f"i{found.int_bits}"
        )


class Compiled:
    """Machine code; kept alive as long as its functions may be called."""

    def __init__(self, text: str) -> None:
        _initialise()
        machine = _state["machine"]
        with _lock:
            module = llvm.parse_assembly(text)
            module.triple = llvm.get_default_triple()
            module.data_layout = str(machine.target_data)
            module.verify()
            self._optimise(module, machine)
            self.optimised = module
            self._engine = llvm.create_mcjit_compiler(module, self._new_machine())
            self._engine.finalize_object()

    @classmethod
    def cached(cls, text: str) -> Compiled:
        """As Compiled(text), but the machine code is kept on disk for other processes."""
        _initialise()
        made = cls.__new__(cls)
        host = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        key = repr((text, *host, llvm.llvm_version_info, llvmlite.__version__))
        with _lock:
            code = store.read(key)
            if code is None:
                module = llvm.parse_assembly(text)
                module.triple = llvm.get_default_triple()
                module.data_layout = str(_state["machine"].target_data)
                module.verify()
                cls._optimise(module, _state["machine"])
                code = _state["machine"].emit_object(module)
                store.write(key, code)
            made._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), cls._new_machine())
            made._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            made._engine.finalize_object()
        return made

    @staticmethod
    def _new_machine() -> Any:
        # The engine takes ownership of its machine, so each gets one of its own.
        return llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            features=llvm.get_host_cpu_features().flatten(),
            opt=2,
            jit=True,
        )

    @staticmethod
    def _optimise(module: Any, machine: Any) -> None:
        # Loops are vectorised by hand: LLVM's vectorisers would only cost compile time.
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = False
        options.slp_vectorization = False
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)

    @classmethod
    def from_object(cls, code: bytes) -> Compiled:
        """Machine code that `object_code` made."""
        _initialise()
        made = cls.__new__(cls)
        with _lock:
            made._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), cls._new_machine())
            made._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            made._engine.finalize_object()
        return made

    def address(self, name: str) -> int:
        """Where a function's code is."""
        return self._engine.get_function_address(name)

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """The function `i64 name(ptr, ...)` as a Python callable that releases the GIL."""
        address = self._engine.get_function_address(name)
        return ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * arguments)(address)

    def assembly(self) -> str:
        """The machine code as text, for those who want to look."""
        return _state["machine"].emit_assembly(self.optimised)


def object_code(text: str) -> bytes:
    """An object file of position-independent code whose loops LLVM has vectorised."""
    _initialise()
    with _lock:
        module = llvm.parse_assembly(text)
        module.triple = llvm.get_default_triple()
        machine = llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            # Processors protected against Downfall gather slower than they load one by one.
            features=llvm.get_host_cpu_features().flatten() + ",+prefer-no-gather",
            opt=3,
            reloc="pic",
            codemodel="small",
        )
        module.data_layout = str(machine.target_data)
        module.verify()
        options = llvm.create_pipeline_tuning_options(speed_level=3)
        options.loop_vectorization = True
        options.slp_vectorization = True
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return machine.emit_object(module)
