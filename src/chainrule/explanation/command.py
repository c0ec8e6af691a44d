"""`chainrule explain file.py:function --at x=2` and `chainrule graph file.py:function --at x=2`."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..reading.functions import load_function
from ..serialization.files import write_text


def main(command: str, arguments: Sequence[str]) -> int:
    """Run one of the two commands; returns the exit code."""
    options = _parser(command).parse_args(list(arguments))
    try:
        y, inputs = evaluate(options.target, options.at)
        report = _report(command, y, inputs, options)
    except (CommandError, RuntimeError, ValueError) as problem:
        print(f"chainrule {command}: {problem}", file=sys.stderr)
        return 2
    if options.out:
        return _write(report, options.out, command)
    if options.json:
        print(report.to_json(indent=2))
    else:
        report.show()
    return 0


class CommandError(Exception):
    """Something about the command line that the user can put right."""


def _parser(command: str) -> argparse.ArgumentParser:
    about = {
        "explain": "Why is d result / d input what it is? Path by path, link by link.",
        "graph": "Show the computation graph of a function at a point.",
    }[command]
    parser = argparse.ArgumentParser(prog=f"chainrule {command}", description=about)
    parser.add_argument("target", metavar="file.py:function")
    parser.add_argument(
        "--at", nargs="+", default=[], metavar="name=value", help="the inputs, e.g. x=2 y=0.5"
    )
    parser.add_argument(
        "--out", metavar="file", help="write .html, .svg (graph: .mmd, .dot) instead"
    )
    if command == "explain":
        parser.add_argument("--wrt", help="which input; all of them unless given")
        parser.add_argument("--paths", type=int, help="how many paths to list")
        parser.add_argument("--json", action="store_true", help="print JSON")
    else:
        parser.set_defaults(json=False)
        parser.add_argument(
            "--fold", default="auto", choices=("auto", "none", "line"), help="what becomes one box"
        )
    return parser


def evaluate(target: str, at: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """The function's result at a point, recorded, and its inputs as leaves."""
    function = load_function(target)
    given = dict(_assignment(text) for text in at)
    inputs: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in given:
            inputs[name] = _leaf(given.pop(name))
        elif parameter.default is not parameter.empty and isinstance(
            parameter.default, int | float
        ):
            inputs[name] = _leaf(float(parameter.default))
        elif parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        ):
            raise CommandError(f"{target} needs a value for {name!r}: --at {name}=...")
    if given:
        known = ", ".join(inspect.signature(function).parameters)
        raise CommandError(f"{target} has no input {', '.join(given)}; it has {known}")
    return function(**inputs), inputs


def _assignment(text: str) -> tuple[str, Any]:
    import ast

    name, equals, value = text.partition("=")
    try:
        number = ast.literal_eval(value)
        if not equals or isinstance(number, str | bool):
            raise ValueError
    except (ValueError, SyntaxError):
        raise CommandError(f"--at takes name=number (or name=[numbers]), got {text!r}") from None
    return name, number


def _leaf(value: Any) -> Any:
    import chainrule as torch

    return torch.tensor(value, dtype=torch.float64, requires_grad=True)


def _report(command: str, y: Any, inputs: dict[str, Any], options: argparse.Namespace) -> Any:
    from ..autograd.value import TensorBase
    from ..reading import Names
    from .explain import explain
    from .graph import graph

    if not isinstance(y, TensorBase):
        raise CommandError(
            f"{options.target} returned {type(y).__name__}, not a value computed from its inputs; "
            "math.* functions take plain numbers only: use the tensor's own (x.exp(), x.log())"
        )
    if command == "graph":
        made = graph(y, fold=options.fold)
        names = Names()
        for name, tensor in inputs.items():
            names.add(name, tensor)
        made.tape.name(names)
        return made
    used = _used(y, inputs)
    if options.wrt is not None:
        if options.wrt not in inputs:
            raise CommandError(f"no input {options.wrt!r}; there are {', '.join(inputs)}")
        used = {options.wrt: inputs[options.wrt]}
    found = explain(y, wrt=used, paths=options.paths)
    return found[next(iter(used))] if len(used) == 1 else found


def _used(y: Any, inputs: dict[str, Any]) -> dict[str, Any]:
    from ..reading import Tape

    tape = Tape.of(y)
    used = {name: t for name, t in inputs.items() if tape.find(t) is not None}
    if not used:
        raise CommandError("the result does not depend on any input")
    return used


def _write(report: Any, out: str, command: str) -> int:
    kinds = {".html": "to_html", ".svg": "to_svg", ".json": "to_json"}
    if command == "graph":
        kinds = {".html": "to_html", ".svg": "to_svg", ".mmd": "to_mermaid", ".dot": "to_dot"}
    method = getattr(report, kinds.get(Path(out).suffix, ""), None)
    if method is None:
        print(f"chainrule {command}: --out takes {', '.join(kinds)} here", file=sys.stderr)
        return 2
    write_text(out, method())
    print(f"wrote {out}")
    return 0


__all__ = ["evaluate", "main"]
