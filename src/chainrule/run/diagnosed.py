"""`chainrule doctor train.py`: run a program and say what is wrong with its training."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from ..doctor.finding import NOTE
from ..doctor.report import Diagnosis
from ..doctor.rules import chosen, names_of
from ..doctor.watch import Watch
from ..serialization.files import write_text
from . import script

OPTIONS: dict[str, dict[str, Any]] = {
    "--json": {"metavar": "FILE", "help": "write the findings ('-': print them)"},
    "--html": {"metavar": "FILE", "help": "write a page with the curves"},
    "--only": {"metavar": "RULES", "help": "these rules only, with commas"},
    "--ignore": {"metavar": "RULES", "help": "without these rules"},
    "--strict": {"action": "store_true", "help": "notes count as findings too"},
    "--every": {"type": int, "metavar": "N", "help": "look at every N-th pass later on"},
}


def main(argv: Sequence[str]) -> int:
    """Run the command; 1 with findings of severity error or warning, else 0."""
    options = _parser().parse_args(argv)
    _take_own(options)
    if options.target not in ("-m", "-c") and not os.path.exists(options.target):
        print(f"chainrule: can't open file {options.target!r}: no such file", file=sys.stderr)
        return 2
    try:
        rules = chosen(options.only, options.ignore)
    except ValueError as problem:
        print(f"chainrule: {problem}", file=sys.stderr)
        return 2
    watch = Watch(rules, [], options.every, names_of(options.ignore))
    _run([options.target, *options.arguments], watch)
    return _tell(watch.diagnosis, options)


def beside(argv: list[str]) -> int:
    """`chainrule run --doctor ...`: the program with its own exit code, and a report at the end."""
    with Watch(chosen(), [], None) as watch:
        try:
            return script.main(argv[1:])
        finally:
            print(watch.diagnosis, file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="chainrule doctor",
        description="Run a training script and say what is wrong: rule, line, evidence, fix.",
    )
    for name in OPTIONS:
        parser.add_argument(name, **OPTIONS[name])
    parser.add_argument("target", help="script.py, or -m module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the script")
    return parser


def _take_own(options: argparse.Namespace) -> None:
    """Options behind the script belong to it; those that its text does not name are meant for the
    doctor."""
    if not options.arguments or not os.path.isfile(options.target):
        return
    with open(options.target, encoding="utf-8", errors="replace") as file:
        text = file.read()
    own = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name, option in OPTIONS.items():
        if name not in text:
            own.add_argument(name, **option)
    try:
        taken, rest = own.parse_known_args(options.arguments)
    except SystemExit:
        return
    for name, value in vars(taken).items():
        if value not in (None, False):
            setattr(options, name, value)
    options.arguments = rest


def _run(argv: list[str], watch: Watch) -> None:
    """Run the program under the watch; what it raises is shown and diagnosed."""
    problem: BaseException | None = None
    with watch:
        try:
            script.main(argv)
        except SystemExit as end:
            if end.code not in (None, 0):
                print(f"the program ended with {end.code!r}", file=sys.stderr)
        except KeyboardInterrupt as stop:
            problem = stop
            print("interrupted: this is what was seen so far", file=sys.stderr)
        except BaseException as error:
            problem = error
            traceback.print_exception(error)
    watch.run.problem = problem


def _written(path: str, text: str) -> bool:
    """Whether a file could be written: what was found in a long run is not to be lost with it."""
    try:
        write_text(path, text)
    except OSError as problem:
        print(f"chainrule doctor: {problem}", file=sys.stderr)
        return False
    return True


def _tell(diagnosis: Diagnosis, options: Any) -> int:
    whole = True
    if options.html:
        whole &= _written(options.html, diagnosis.to_html())
    if options.json == "-":
        print(diagnosis.to_json())
    else:
        if options.json:
            whole &= _written(options.json, diagnosis.to_json() + "\n")
        diagnosis.show()
    if not whole:
        return 2
    if options.strict and any(f.severity == NOTE for f in diagnosis.findings):
        return 1
    return diagnosis.code


__all__ = ["main"]
