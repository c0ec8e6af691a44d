"""The one file that imports llvmlite: module text in, callable addresses out."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm

from ...ops.locks import keep_through_forks
from . import symbols

_lock = keep_through_forks(threading.Lock(), 3)
_state: dict[str, Any] = {}


def features() -> dict[str, bool]:
    """The processor's features by LLVM's names."""
    return dict(llvm.get_host_cpu_features())


def _initialise() -> None:
    with _lock:
        if "machine" in _state:
            return
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _state["machine"] = _machine(",+prefer-no-gather", opt=3)
        _state["plan machine"] = _machine("", opt=2)


def _machine(more_features: str, opt: int) -> Any:
    """Makes position-independent code, which our own linker loads."""
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten() + more_features,
        opt=opt,
        reloc="pic",
        codemodel="small",
    )


def _parsed(text: str, machine: Any) -> Any:
    # In a context of its own, which is given back with the module: the global one only grows.
    module = llvm.parse_assembly(text, llvm.create_context())
    module.triple = llvm.get_default_triple()
    module.data_layout = str(machine.target_data)
    module.verify()
    return module


class Compiled:
    """Machine code; kept alive as long as its functions may be called."""

    def __init__(self, text: str) -> None:
        _initialise()
        for name in re.findall(r"@(chainrule_\w+)", text):
            _declare(name, symbols.symbol)
        with _lock:
            module = _parsed(text, _state["plan machine"])
            _tidy(module, _state["plan machine"])
            self.optimised = module
            self._engine = llvm.create_mcjit_compiler(module, self._new_machine())
            self._engine.finalize_object()

    @staticmethod
    def _new_machine() -> Any:
        # The engine takes ownership of its machine, so each gets one of its own.
        return llvm.Target.from_default_triple().create_target_machine(
            cpu=llvm.get_host_cpu_name(),
            features=llvm.get_host_cpu_features().flatten(),
            opt=2,
            jit=True,
        )

    @classmethod
    def from_object(cls, code: bytes, resolve: Callable[[str], int | None]) -> Compiled:
        """Machine code that `object_code` or `plan_object` made, loaded by LLVM."""
        _initialise()
        for name in {name.decode() for name in re.findall(rb"chainrule_\w+", code)}:
            _declare(name, resolve)
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
        return _state["plan machine"].emit_assembly(self.optimised)


def _declare(name: str, resolve: Callable[[str], int | None]) -> None:
    address = resolve(name)
    if address is not None:
        llvm.add_symbol(name, address)


def _vectorise(module: Any, machine: Any) -> None:
    """All that LLVM can do: kernels are written as plain loops."""
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _tidy(module: Any, machine: Any) -> None:
    """For code that is written in vectors, with its loops in the order they shall have.

    It measures as fast as after LLVM's second level, which takes four times as long.
    """
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.add_instruction_combine_pass()
    passes.add_new_gvn_pass()
    passes.add_simplify_cfg_pass()
    passes.add_aggressive_dce_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)


def object_code(text: str) -> bytes:
    """An object file whose loops LLVM has vectorised."""
    _initialise()
    with _lock:
        machine = _state["machine"]
        module = _parsed(text, machine)
        _vectorise(module, machine)
        return machine.emit_object(module)


def plan_object(text: str) -> bytes:
    """An object file of a module that is written in vectors."""
    _initialise()
    with _lock:
        machine = _state["plan machine"]
        module = _parsed(text, machine)
        _tidy(module, machine)
        return machine.emit_object(module)
