"""A file or an editor's text as something to trace: one of its functions, or its training step."""

from __future__ import annotations

import inspect
import linecache
import os
import sys
import tokenize
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ..autograd.node import OutSlot
from ..autograd.watching import watching
from ..random import get_rng_state, set_rng_state
from ..reading import Tape
from .asked import Asked
from .document import Builder
from .recording import Recorder
from .tracing import Trace, trace

MODULE = "__studio__"  # what a file is called whose function is looked at
UNSET = 1.0  # what an input starts from that has no default


class ProgramError(ValueError):
    """Something about the program that its author can put right."""


def trace_program(
    text: str, file: str, function: str = "", at: Mapping[str, Any] | None = None, step: int = 1,
    result: str = "",
) -> Trace:  # fmt: skip
    """Trace a function of a program, or (without a name) backward pass number `step` of its run.

    A program that runs no backward pass is asked for its last function instead.
    """
    if function:
        return _of_function(load(text, file), file, function, at or {}, result)
    remember_source(text, file)
    draws = get_rng_state()
    found = _of_run(text, file, step)
    if found is not None:
        return found
    set_rng_state(draws)  # as if it had not run: a model of its own has the same weights again
    module = load(text, file)
    names = functions_of(module)
    if not names:
        raise ProgramError(
            f"{os.path.basename(file)} defines no function and calls no backward(). Fix: write a "
            "function of numbers that returns a tensor, or call backward() on a result."
        )
    return _of_function(module, file, names[-1], at or {}, result)


def read_program(path: Path) -> str:
    """The text of a file, in the encoding that its first lines declare (UTF-8 if none)."""
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as problem:
        raise ProgramError(f"{path.name} cannot be read as text: {problem}") from None


def load(text: str, file: str) -> ModuleType:
    """The text as a module, under the name of a file."""
    remember_source(text, file)
    return _module(text, file, MODULE)


def remember_source(text: str, file: str) -> None:
    """Let lines of the text be found under the file's name, whatever is on the disk."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def functions_of(module: ModuleType) -> list[str]:
    """The functions that a program defines itself, in order."""
    return [
        name for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_"
    ]  # fmt: skip


def _module(text: str, file: str, name: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = file
    folder = os.path.dirname(os.path.abspath(file))
    root, module.__package__ = package_of(folder)
    for place in (root, folder):
        if place not in sys.path:
            sys.path.insert(0, place)  # its neighbours can be imported
    before, arguments = sys.modules.get(name), sys.argv
    sys.modules[name] = module  # dataclasses and pickles look it up
    sys.argv = [file]
    try:
        exec(compile(text, file, "exec"), vars(module))
    finally:
        sys.argv = arguments
        if name == "__main__" and before is not None:
            sys.modules[name] = before
    return module


def _of_function(
    module: ModuleType, file: str, function: str, at: Mapping[str, Any], result: str
) -> Trace:
    f = getattr(module, function, None)
    names = functions_of(module)
    if not callable(f):
        have = ", ".join(names) or "none"
        raise ProgramError(f"{os.path.basename(file)} has no function {function!r}; it has: {have}")
    known = Asked(f).__signature__.parameters
    unset = [n for n, p in known.items() if p.default is p.empty and n not in at]
    point = {n: v for n, v in at.items() if n in known} | dict.fromkeys(unset, UNSET)
    made = trace(f, point, title=function, result=result)
    if unset:
        made.document["notes"].append(
            f"{', '.join(unset)} had no value and starts at {UNSET:g}: change it to what you want."
        )
    made.document["function"], made.document["functions"] = function, names
    return made


def package_of(folder: str) -> tuple[str, str | None]:
    """(where its imports start, the package) of the files in a folder; None outside of packages.

    So `from .neighbour import f` works in a file of a package, as it does where that is imported.
    """
    parts: list[str] = []
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    return folder, ".".join(parts) or None


class _Found(BaseException):
    """The pass that was asked for is there; the rest of the program need not run."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document


class _PassRecorder(Recorder):
    """Builds the document when backward pass number `step` begins."""

    def __init__(self, step: int, title: str) -> None:
        super().__init__()
        self.left = step
        self.title = title
        self.started = False

    def op_ends(self, op: Any, args: tuple[Any, ...], params: dict[str, Any], result: Any) -> None:
        if self.left == 1 and not self.started:
            super().op_ends(op, args, params, result)

    def pass_begins(self) -> None:
        self.started = True

    def pass_ends(self) -> None:
        self.started = False
        self.left -= 1

    def node_begins(self, node: Any, g: Any, parents: tuple[Any, ...]) -> None:
        if self.left != 1:
            return
        y = self.result_of(node)
        if y is None:
            return
        self.hold_values()
        seed = g[y._node.nr] if isinstance(g, list) else g
        tape = Tape.of(y).name(self.names)
        raise _Found(Builder(tape, self, None, {}).document(self.title, np.asarray(seed)))

    def result_of(self, node: Any) -> Any:
        for t in reversed(self._keep):
            made_by = t._node
            if (made_by.node if made_by.__class__ is OutSlot else made_by) is node:
                return t
        return None


def _of_run(text: str, file: str, step: int) -> Trace | None:
    recorder = _PassRecorder(step, os.path.basename(file))
    module = None
    try:
        with watching(recorder):
            module = _module(text, file, "__main__")
    except SystemExit as ended:
        if ended.code:  # a script may end with sys.exit()
            raise
    except _Found as found:
        found.document["function"], found.document["functions"] = "", []
        found.document["step"] = step
        return Trace(found.document)
    if recorder.left < step:
        raise ProgramError(
            f"{os.path.basename(file)} ran {step - recorder.left} backward passes; there is no "
            f"number {step}"
        )
    del module
    return None


__all__ = [
    "ProgramError", "functions_of", "load", "read_program", "remember_source", "trace_program",
]  # fmt: skip
