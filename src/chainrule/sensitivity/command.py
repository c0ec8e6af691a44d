"""`chainrule sensitivity model.py:revenue --at price=10 --sweep price=0:20 --plot out.png`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any

from ..reading.functions import load_function
from ..serialization.files import write_text
from .cascade import from_changes
from .errors import TraceError
from .result import analyse


class Wrong(Exception):
    """A mistake on the command line."""


def main(argv: Sequence[str]) -> int:
    """Run the command; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        results = _results(options)
    except (Wrong, TraceError, ValueError, TypeError, KeyError) as problem:
        text = problem.args[0] if problem.args else problem
        print(f"chainrule sensitivity: {text}", file=sys.stderr)
        return 2
    return _show(results, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="chainrule sensitivity",
        description="What drives a figure: derivatives, chains, sweeps of a Python function.",
    )
    add = parser.add_argument
    add("model", nargs="?", help="file.py:function or module:function")
    add("--at", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="the inputs")
    add("--output", help="which of several results")
    add("--sweep", metavar="NAME=FROM:TO", help="the curve along one input")
    add("--points", type=int, default=101, help="points of the sweep")
    add("--tornado", action="store_true", help="which input swings the result most")
    add("--what-if", nargs="+", metavar="NAME=CHANGE", help="e.g. price=+0.10 or price=+5%%")
    add("--changes", nargs="+", metavar="NAME=CHANGE",
        help="instead of a model: observed changes of a cascade, in order")  # fmt: skip
    add("--plot", metavar="FILE", help="a picture (.png, .pdf by matplotlib; .svg, .html by us)")
    add("--json", action="store_true", help="JSON instead of text")
    return parser


def _results(options: Any) -> dict[str, Any]:
    """What was asked for, by name; the last is the one that is plotted."""
    if options.changes:
        pairs = [(name, _number(name, text)) for name, text in _pairs(options.changes)]
        return {"cascade": from_changes(pairs)}
    if not options.model:
        raise Wrong("name a model, e.g. model.py:revenue --at price=10, or give --changes")
    at = {name: _number(name, text) for name, text in _pairs(options.at)}
    s = analyse(load_function(options.model), at, None, options.output)
    results: dict[str, Any] = {"sensitivity": s}
    if options.tornado:
        results["tornado"] = s.tornado()
    if options.what_if:
        results["what_if"] = s.what_if(dict(_pairs(options.what_if)))
    if options.sweep:
        ((name, text),) = _pairs([options.sweep])
        start, colon, stop = text.partition(":")
        if not colon:
            raise Wrong(f"--sweep {options.sweep}: write --sweep {name}=0:20")
        results["sweep"] = s.sweep(name, _number(name, start), _number(name, stop), options.points)
    return results


def _show(results: dict[str, Any], options: Any) -> int:
    if options.plot:
        try:
            _plot(list(results.values())[-1], options.plot)
        except (OSError, ImportError) as problem:
            print(f"chainrule sensitivity: {problem}", file=sys.stderr)
            return 2
    if options.json:
        data = {name: json.loads(r.to_json()) for name, r in results.items()}
        print(json.dumps(data if len(data) > 1 else next(iter(data.values())), indent=2))
        return 0
    for number, result in enumerate(results.values()):
        if number:
            print()
        result.show()
    return 0


def _plot(result: Any, path: str) -> None:
    written = {".svg": result.to_svg, ".html": result.to_html}.get(FilePath(path).suffix.lower())
    if written is None:
        result.plot(path)
    else:
        write_text(path, written())


def _pairs(texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in ",".join(texts).split(","):
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise Wrong(f"{text!r} is not NAME=VALUE")
        pairs.append((name.strip(), value.strip()))
    return pairs if texts else []


def _number(name: str, text: str) -> float | int:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        raise Wrong(f"{name}={text}: {text!r} is not a number") from None
