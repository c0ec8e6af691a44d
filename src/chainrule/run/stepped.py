"""`chainrule studio file.py[:function] --record lesson.html`: a run to step through, as a page."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..studio.programs import ProgramError, trace_program
from . import install


def main(argv: Sequence[str]) -> int:
    """Run the command; 2 where there is nothing to record, with the reason."""
    parser = argparse.ArgumentParser(
        prog="chainrule studio",
        description="Record every step of a function (or of a script's backward pass) as a page.",
    )
    parser.add_argument("target", metavar="file.py[:function]")
    parser.add_argument("--at", nargs="+", default=[], metavar="name=value", help="the inputs")
    parser.add_argument("--step", type=int, default=1, help="which backward pass of a script")
    parser.add_argument("--record", metavar="FILE", required=True, help="the page to write")
    options = parser.parse_args(list(argv))
    file, _, function = options.target.partition(".py")
    file, function = f"{file}.py", function.removeprefix(":")
    if not os.path.isfile(file):
        print(f"chainrule studio: there is no file {file}", file=sys.stderr)
        return 2
    install()
    try:
        at = dict(_assignment(text) for text in options.at)
        text = Path(file).read_text(encoding="utf-8")
        made = trace_program(text, os.path.abspath(file), function, at, options.step)
    except (ProgramError, TypeError, ValueError, RuntimeError, SyntaxError) as problem:
        print(f"chainrule studio: {problem}", file=sys.stderr)
        return 2
    made.to_html(options.record)
    print(f"wrote {options.record}")
    return 0


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    try:
        found = ast.literal_eval(value)
        if not equals or isinstance(found, str | bool):
            raise ValueError
    except (ValueError, SyntaxError):
        raise ProgramError(f"--at takes name=number or name=[numbers], got {text!r}") from None
    return name, found


__all__ = ["main"]
