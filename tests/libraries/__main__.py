"""The command: `python -m tests.libraries`."""

import argparse
import subprocess
import sys
from pathlib import Path

from bench.progress import Progress

from . import __doc__ as ABOUT
from .environments import ROOT, Environments
from .page import keep
from .running import Outcome, failed, outcome, record
from .table import Library, read_table


def main() -> int:
    asked = arguments()
    table = read_table()
    unknown = [name for name in asked.names if name not in table]
    if unknown:
        print(f"not in table.toml: {', '.join(unknown)}", file=sys.stderr)
        return 2
    chosen = [table[name] for name in asked.names] or list(table.values())
    environments = Environments(asked.environments.resolve())
    if asked.lock:
        return each(chosen, "versions of", environments.lock)
    if asked.record:
        torch = asked.record.resolve()
        return each(chosen, "PyTorch:",
                    lambda one: record(one, environments.python(one), torch))  # fmt: skip
    outcomes = run_all(chosen, environments)
    keep([one.as_row() for one in outcomes])
    return any(one.failed for one in outcomes)


def arguments() -> argparse.Namespace:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="python -m tests.libraries", description=ABOUT, formatter_class=as_written
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-libraries")
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("--record", type=Path, metavar="FOLDER")
    return parser.parse_args()


def each(chosen: list[Library], message: str, act) -> int:
    with Progress() as progress:
        for done, one in enumerate(chosen):
            progress(done, len(chosen), f"{message} {one.name}")
            act(one)
    return 0


def run_all(chosen: list[Library], environments: Environments) -> list[Outcome]:
    outcomes = []
    with Progress() as progress:
        for done, one in enumerate(chosen):
            progress(done, len(chosen), one.name)
            outcomes.append(attempt(one, environments))
            print(told(outcomes[-1]), flush=True)
    return outcomes


def attempt(library: Library, environments: Environments) -> Outcome:
    try:
        return outcome(library, environments.python(library))
    except (RuntimeError, subprocess.TimeoutExpired, ValueError) as problem:
        row = Outcome(library.name, library.version, library.does)
        return failed(row, str(problem).strip().splitlines()[-1])


def told(one: Outcome) -> str:
    if one.failed:
        return f"FAILED  {one.name} {one.version}: {one.failed}"
    return f"same    {one.name} {one.version}: {one.compared} values, {one.difference:.0e} apart"


if __name__ == "__main__":
    sys.exit(main())
