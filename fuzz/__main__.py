"""Run the fuzzer: `python -m fuzz --programs 2000`."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from typing import Any

import chainrule

from .check import Disagreement, check
from .generate import Program, generate
from .shrink import script, shrink


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compiled", action="store_true", help="also trace and compile")
    parser.add_argument("--only-compiled", action="store_true", help="no other ways")
    parser.add_argument("--torch", action="store_true", help="also compare with PyTorch")
    parser.add_argument("--sample", action="store_true", help="expensive checks take turns")
    parser.add_argument("--keep-going", action="store_true")
    options = parser.parse_args(argv)
    oracle = importlib.import_module("torch") if options.torch else None
    counts = {"ok": 0, "invalid": 0, "failed": 0}
    start = time.monotonic()
    ways = {
        "oracle": oracle, "compiled": options.compiled, "sample": options.sample,
        "only_compiled": options.only_compiled,
    }  # fmt: skip
    for seed in range(options.seed, options.seed + options.programs):
        counts[_one(seed, ways)] += 1
        if counts["failed"] and not options.keep_going:
            break
        done = seed - options.seed + 1
        if sys.stderr.isatty() and done % 50 == 0:
            rate = done / (time.monotonic() - start)
            print(f"\r{done}/{options.programs}  {rate:.0f}/s", end="", file=sys.stderr)
    print(f"{counts['ok']} agree, {counts['invalid']} invalid, {counts['failed']} disagree")
    return 1 if counts["failed"] else 0


def problem_of(program: Program, ways: dict[str, Any]) -> str | None:
    """What is wrong with a program, by name; None when all ways agree."""
    try:
        check(program, chainrule, **ways)
    except Disagreement as found:
        return found.way
    except Exception as found:
        return f"{type(found).__name__}: {found}"
    return None


def _one(seed: int, ways: dict[str, Any]) -> str:
    program = generate(seed)
    try:
        return check(program, chainrule, **ways)
    except Exception as found:
        kind = found.way if isinstance(found, Disagreement) else type(found).__name__

    def fails(candidate: Program) -> bool:
        found = problem_of(candidate, ways)
        return found is not None and found.split(":")[0] == kind.split(":")[0]

    small = shrink(program, fails)
    print(f"seed {seed}: {problem_of(small, ways)}\n{script(small, kind)}\n")
    return "failed"


if __name__ == "__main__":
    sys.exit(main())
