"""Commands that run a program and then say what they saw: `chainrule memory`, `chainrule profile`.

The target is a script (`train.py`, run with `torch` meaning chainrule) or a function of a file
(`model.py:step`, called without arguments).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any


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


def _parser(command: str, description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"chainrule {command}", description=description)
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")
    parser.add_argument("--json", action="store_true", help="print figures for programs")
    parser.add_argument("target", help="script.py, or file.py:function")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    return parser


def _write(path: str | None, text: Callable[[], str]) -> None:
    if path:
        Path(path).write_text(text(), encoding="utf-8")


def _run(options: Any, watcher: Any) -> int | None:
    """Run the target inside the watcher's block; an exit code where there is nothing to report."""
    file, colon, name = options.target.rpartition(":")
    if not colon or not file.endswith(".py"):
        return _run_script([options.target, *options.arguments], watcher)
    if not os.path.exists(file):
        return _refuse(f"can't open file {file!r}: no such file")
    function = getattr(_loaded(file), name, None)
    if not callable(function):
        return _refuse(f"{file} has no function {name!r}")
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


def _loaded(file: str) -> Any:
    """The module of a file, with `torch` meaning chainrule, found beside its neighbours."""
    from . import install

    install()
    path = Path(file).resolve()
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _refuse(reason: str) -> int:
    print(f"chainrule: {reason}", file=sys.stderr)
    return 2
