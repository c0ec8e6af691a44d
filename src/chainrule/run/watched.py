"""Commands that run a program and then say what they saw: `chainrule memory`, `chainrule profile`.

The target is a script (`train.py`, run with `torch` meaning chainrule) or a function of a file
(`model.py:step`, called without arguments).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..reading.functions import NoSuchFunction, load_function
from ..serialization.files import write_text


def memory_command(argv: Sequence[str]) -> int:
    """`chainrule memory target`: run it and print what its memory was used for."""
    parser = _parser("memory", "Run a program and report its memory: peak, timeline, by line.")
    parser.add_argument("--svg", metavar="FILE", help="write the timeline as a picture")
    options = parser.parse_args(argv)
    from .. import memory

    tracked = memory.track()
    code = _run(options, tracked)
    if code is not None:
        return code
    _write(options.html, tracked.to_html)
    _write(options.svg, tracked.to_svg)
    if options.json:
        print(tracked.to_json())
    else:
        tracked.show()
    return 0


def profile_command(argv: Sequence[str]) -> int:
    """`chainrule profile target`: run it and print where its time went."""
    parser = _parser("profile", "Run a program and report its time by op, line and module.")
    parser.add_argument("--trace", metavar="FILE", help="write a trace for chrome://tracing")
    options = parser.parse_args(argv)
    from ..profiler import profile

    prof = profile(record_shapes=True)
    code = _run(options, prof)
    if code is not None:
        return code
    report = prof.report()
    _write(options.html, report.to_html)
    if options.trace:
        prof.export_chrome_trace(options.trace)
    if options.json:
        print(json.dumps(report.facts()))
    else:
        report.show()
    return 0


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"chainrule {command}", description=description)
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")
    parser.add_argument("--json", action="store_true", help="print figures for programs")
    parser.add_argument("target", help="script.py, or file.py:function")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    return parser


def _write(path: str | None, text: Callable[[], str]) -> None:
    if path:
        write_text(path, text())


def _run(options: Any, watcher: Any) -> int | None:
    """Run the target inside the watcher's block; an exit code where there is nothing to report."""
    if ":" not in os.path.basename(options.target):
        return _run_script([options.target, *options.arguments], watcher)
    from .installation import install

    install()  # before anything of the program is imported
    try:
        function = load_function(options.target)
    except NoSuchFunction as problem:
        return _refuse(str(problem))
    with watcher:
        function()
    return None


def _run_script(argv: list[str], watcher: Any) -> int | None:
    from .script import main

    if not os.path.exists(argv[0]):
        return _refuse(f"can't open file {argv[0]!r}: no such file")
    with watcher:
        try:
            code = main(argv)
        except SystemExit as end:  # the program ended itself: the report is wanted all the same
            code = end.code
    if code not in (None, 0):
        print(f"the program ended with {code!r}", file=sys.stderr)
    return None


def _refuse(reason: str) -> int:
    print(f"chainrule: {reason}", file=sys.stderr)
    return 2
