"""Runs a script, a module or a string as Python itself would: __main__, argv, paths, exit codes."""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import io
import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

from .installation import install
from .missing import note_for

USAGE = """\
usage: chainrule run script.py [arguments]
       chainrule run -m module [arguments]
       chainrule run -c code [arguments]
       chainrule run --doctor script.py [arguments]

Run an unmodified PyTorch program on chainrule: `import torch` and its submodules resolve to
chainrule in this process and in the processes it starts. Everything after the script, module or
code belongs to the program. --doctor says at the end what is wrong with its training.
"""
_replaced_mains: list[ModuleType] = []  # kept, so that their globals outlive the program


def main(argv: list[str]) -> int:
    """Run what the arguments name; returns the exit code of a program that ends normally."""
    if not argv or argv[0] in ("-h", "--help"):
        print(USAGE, end="", file=sys.stdout if argv else sys.stderr)
        return 0 if argv else 2
    kind, rest = (argv[0], argv[1:]) if argv[0] in ("-m", "-c") else ("", argv)
    if not rest:
        return _refuse(f"{kind} needs an argument")
    if not kind and rest[0].startswith("-"):
        return _refuse(f"unknown option {rest[0]!r}; see chainrule run --help")
    install()  # before anything of the program is imported
    try:
        prepared = {"-m": _module, "-c": _code, "": _script}[kind](rest)
    except OSError as problem:
        reason = f"[Errno {problem.errno}] {problem.strerror}"
        print(f"chainrule run: can't open file {rest[0]!r}: {reason}", file=sys.stderr)
        return 2
    if isinstance(prepared, str):
        print(f"chainrule run: {prepared}", file=sys.stderr)
        return 1
    with _as_rank():
        _execute(*prepared)
    return 0


_RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK")


def _as_rank() -> contextlib.AbstractContextManager[None]:
    """If MPI started this process: let its end be noticed by the other ranks, from now on."""
    if not any(name in os.environ for name in _RANKS):
        return contextlib.nullcontext()
    from ..distributed import faults

    faults.begin()
    return faults.noting_exit()


def _refuse(reason: str) -> int:
    print(f"chainrule run: {reason}", file=sys.stderr)
    return 2


Prepared = tuple[ModuleType, Callable[[], CodeType]]


def _script(argv: list[str]) -> Prepared | str:
    path = argv[0]
    if os.path.isdir(path):
        program = os.path.join(path, "__main__.py")
        if not os.path.exists(program):
            return f"can't find '__main__' module in {path!r}"
        folder, path = os.path.abspath(path), program
    else:
        folder = os.path.dirname(os.path.realpath(path))
    full = os.path.abspath(path)
    with io.open_code(full) as opened:
        text = opened.read()
    _set_arguments(argv, folder)
    loader = SourceFileLoader("__main__", full)
    space = _fresh_main(__file__=full, __cached__=None, __loader__=loader)
    return space, lambda: compile(text, full, "exec", dont_inherit=True)


def _code(argv: list[str]) -> Prepared:
    _set_arguments(["-c", *argv[1:]], "")
    return _fresh_main(), lambda: compile(argv[0], "<string>", "exec", dont_inherit=True)


def _module(argv: list[str]) -> Prepared | str:
    """As `python -m`: a package runs its __main__, and the arguments begin with the file's path."""
    _set_arguments(["-m", *argv[1:]], os.getcwd())
    found = _spec_of(argv[0])
    if isinstance(found, str):
        return found
    spec, loader = found
    code = loader.get_code(spec.name)
    if code is None:
        return f"no code object is available for {spec.name}"
    sys.argv[0] = spec.origin or spec.name
    space = _fresh_main(
        __file__=spec.origin, __cached__=spec.cached, __loader__=loader, __spec__=spec,
        __package__=spec.parent,
    )  # fmt: skip
    return space, lambda: code


def _spec_of(name: str) -> tuple[ModuleSpec, Any] | str:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, TypeError, ValueError) as problem:
        return f"Error while finding module specification for {name!r} ({problem})"
    if spec is None:
        return f"No module named {name}"
    if spec.submodule_search_locations is not None:
        inner = _spec_of(f"{name}.__main__")
        if isinstance(inner, str):
            return f"{inner}; {name!r} is a package and cannot be directly executed"
        return inner
    if spec.loader is None:
        return f"{name!r} is a namespace package and cannot be executed"
    return spec, spec.loader


def _set_arguments(argv: list[str], folder: str) -> None:
    sys.argv[:] = argv
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder


def _fresh_main(**attributes: Any) -> ModuleType:
    """A new __main__ for the program; ours is kept alive beside it."""
    module = ModuleType("__main__")
    vars(module).update({"__builtins__": builtins, "__package__": None, **attributes})
    if "__main__" in sys.modules:
        _replaced_mains.append(sys.modules["__main__"])
    sys.modules["__main__"] = module
    return module


def _execute(program: ModuleType, compiled: Callable[[], CodeType]) -> None:
    """Run the program. What it raises goes to Python, so that exit codes are Python's own."""
    before = sys.excepthook

    def report(kind: type, problem: BaseException, trace: TracebackType | None) -> None:
        note = note_for(problem)
        if note is not None:
            problem.add_note(note)
        trace = _without_our_frames(trace, vars(program))
        before(kind, problem.with_traceback(trace), trace)

    sys.excepthook = report
    exec(compiled(), vars(program))


def _without_our_frames(trace: TracebackType | None, space: dict[str, Any]) -> TracebackType | None:
    """The traceback from the program's first frame on, without the look-up that failed at its end.

    None if the program could not be compiled: then Python shows no frames either.
    """
    while trace is not None and trace.tb_frame.f_globals is not space:
        trace = trace.tb_next
    last = trace
    while last is not None:
        after = last.tb_next
        if after is not None and after.tb_frame.f_globals.get("__package__") == __package__:
            last.tb_next = None
        last = last.tb_next
    return trace
