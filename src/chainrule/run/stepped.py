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

from ..studio.lessons import LESSONS, add_lesson
from ..studio.programs import ProgramError, trace_program
from .installation import install


def main(argv: Sequence[str]) -> int:
    """Run the command; 2 where there is nothing to show, with the reason."""
    options = _parser().parse_args(list(argv))
    file, function = "", ""
    if options.target:
        found = re.fullmatch(r"(.*?\.py)(?::(\w+))?", options.target, re.DOTALL)
        if found is None:
            return _wrong(f"expected file.py or file.py:function, got {options.target}")
        file, function = found[1], found[2] or ""
        if not os.path.isfile(file):
            return _wrong(f"there is no file {file}")
    if not 0 <= options.lesson <= len(LESSONS):
        return _wrong(f"there are {len(LESSONS)} lessons, from 1 on; not {options.lesson}")
    try:
        at = dict(_assignment(text) for text in options.at)
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
    lesson = LESSONS[options.lesson - 1]["program"]
    text = Path(file).read_text(encoding="utf-8") if file else lesson
    file = file or "lesson.py"
    made = trace_program(text, os.path.abspath(file), function, at, options.step)
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
            webbrowser.open(server.url)
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


def _is_numbers(value: Any) -> bool:
    """Whether a value is a finite number, or lists of them."""
    if isinstance(value, list | tuple):
        return all(_is_numbers(one) for one in value)
    return type(value) in (int, float) and math.isfinite(value)


__all__ = ["main"]
