"""`chainrule studio [file.py[:function]]`: the live page, or with `--record` one file of it."""

from __future__ import annotations

import argparse
import ast
import math
import os
import re
import sys
import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..random import manual_seed
from ..studio.answers import SEED
from ..studio.lessons import LESSONS, add_lesson
from ..studio.process import problem_facts
from ..studio.programs import ProgramError, read_program, trace_program
from .installation import install

_IN_A_CELL = ". In a notebook, call studio.trace(f, {'x': 2.0}) in a cell: it shows the page there"


def main(argv: Sequence[str]) -> int:
    """Run the command; 2 where there is nothing to show, with the reason."""
    options = _parser().parse_args(list(argv))
    file, function = "", ""
    if options.target:
        found = re.fullmatch(r"(.*?\.py)(?::(\w+))?", options.target, re.DOTALL)
        if found is None:
            return _wrong(f"expected file.py or file.py:function, got {options.target}"
                          f"{_IN_A_CELL if options.target.endswith('.ipynb') else ''}")  # fmt: skip
        file, function = found[1], found[2] or ""
        if not os.path.isfile(file):
            return _wrong(f"there is no file {file}")
    if not 0 <= options.lesson <= len(LESSONS):
        return _wrong(f"there are {len(LESSONS)} lessons, from 1 on; not {options.lesson}")
    try:
        at = dict(_assignment(text) for text in options.at)
        if file and at:
            _check_names(read_program(Path(file)), function, at)
        if options.record:
            return _record(options, file, function, at)
        return _serve(options, file, function, at)
    except (ProgramError, TypeError, ValueError, RuntimeError, SyntaxError, OSError) as problem:
        return _wrong(str(problem))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="chainrule studio",
        description="Watch a function, a script's backward pass or a training run, in the browser.",
    )
    add = parser.add_argument
    add("target", metavar="file.py[:function]", nargs="?", default="")
    add("--lesson", type=int, default=0, metavar="1..10", help="begin with one of the lessons")
    add("--at", nargs="+", default=[], metavar="name=value", help="the inputs")
    add("--step", type=int, default=1, help="which backward pass of a script")
    add("--record", metavar="FILE", help="write the run as one page instead of serving it")
    add("--port", type=int, default=0, help="the port on this machine; any free one if left out")
    add("--seconds", type=float, default=20.0, help="longest time of one run")
    add("--megabytes", type=int, default=4096, help="most memory of one run")
    add("--no-browser", action="store_true", help="print the address only")
    return parser


def _record(options: Any, file: str, function: str, at: dict[str, Any]) -> int:
    if not file and not options.lesson:
        return _wrong("--record needs a file.py to run, or a lesson")
    install()
    text = read_program(Path(file)) if file else LESSONS[options.lesson - 1]["program"]
    file = file or "lesson.py"
    manual_seed(SEED)  # as the live page runs it
    try:
        made = trace_program(text, os.path.abspath(file), function, at, options.step)
    except (Exception, SystemExit) as problem:  # of the user's program
        said = problem_facts(problem, file)
        return _wrong(
            f"line {said['line']}: {said['message']}" if said["line"] else said["message"]
        )
    add_lesson(made.document, options.lesson)
    made.to_html(options.record)
    print(f"wrote {options.record}")
    return 0


def _serve(options: Any, file: str, function: str, at: dict[str, Any]) -> int:
    from ..studio.server import Server, Studio
    from ..studio.start import starting_point
    from ..studio.workbench import Limits

    folder = Path(file).resolve().parent if file else Path.cwd()
    start = starting_point(file, function, at, options.step, options.lesson)
    studio = Studio(start, folder, Limits(options.seconds, options.megabytes))
    with Server(studio, options.port) as server:
        print(f"studio: {server.url}\nCtrl-C ends it.", flush=True)
        if not options.no_browser:
            webbrowser.open(server.url_once())
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
    return 0


def _wrong(reason: str) -> int:
    print(f"chainrule studio: {reason}", file=sys.stderr)
    return 2


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    try:
        found = ast.literal_eval(value)
        if not equals or not _is_numbers(found):
            raise ValueError
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # of absurd text
        raise ProgramError(f"--at takes name=number or name=[numbers], got {text!r}") from None
    return name, found


def _check_names(text: str, function: str, at: dict[str, Any]) -> None:
    """Refuse a name that is no input of the function, or (where none is named) of any."""
    known: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name in (function or node.name, function):
            a = node.args
            known += [one.arg for one in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
            if a.kwarg or node.decorator_list:
                return
    for name in at:  # a part of a dict or an uneven list is called by both: p_w
        if known and not any(name == one or name.startswith(f"{one}_") for one in known):
            what = function or "the program"
            raise ProgramError(f"--at {name}: {what} has no input {name!r}; it has: "
                               f"{', '.join(known)}")  # fmt: skip


def _is_numbers(value: Any) -> bool:
    """Whether a value is a finite number, or lists of them."""
    if isinstance(value, list | tuple):
        return all(_is_numbers(one) for one in value)
    return type(value) in (int, float) and math.isfinite(value)


__all__ = ["main"]
