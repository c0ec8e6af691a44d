"""Make and check the programs of a range of seeds."""

from __future__ import annotations

import functools
import gc
import importlib
import traceback
from collections import Counter
from dataclasses import dataclass
from typing import Any

from .families import family, turns
from .script import Disagreement
from .shrink import shrink


@dataclass(frozen=True)
class Options:
    """What to run: programs `first` to `last` of a family, or of all in turn."""

    family: str
    first: int
    last: int
    torch: bool = False
    every_way: bool = False
    shrinking: bool = True


def run(options: Options) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Counts by family and outcome, and a report for each disagreement."""
    oracle = importlib.import_module("torch") if options.torch else None
    if oracle is not None:
        oracle.set_num_threads(1)
    ways = {"oracle": oracle, "every_way": options.every_way}
    order = turns(options.family)
    _settle(tuple(order))
    counts: Counter[tuple[str, str]] = Counter()
    reports = []
    for seed in range(options.first, options.last):
        name = order[seed % len(order)]
        outcome, report = _one(name, seed, ways, options.shrinking)
        counts[name, outcome] += 1
        if report:
            reports.append(report)
    return counts, reports


@functools.cache
def _settle(names: tuple[str, ...]) -> None:
    """Load what lives for good and keep the collector from looking through it, once in a process:
    what a program leaves in cycles until the next collection must not become part of it."""
    for name in names:
        family(name)
    gc.collect()
    gc.freeze()


def _one(name: str, seed: int, ways: dict[str, Any], shrinking: bool) -> tuple[str, str]:
    module = family(name)
    program = module.generate(seed)
    problem = problem_of(module, program, ways)
    if problem is None:
        return "ok", ""
    if problem == "invalid":
        return "invalid", ""
    kind = problem.split(": got")[0].split("\n")[0]

    def fails(candidate: Any) -> bool:
        found = problem_of(module, candidate, ways)
        return found is not None and found.split(": got")[0].split("\n")[0] == kind

    small = shrink(program, fails) if shrinking else program
    told = problem_of(module, small, ways)
    return "disagree", f"--- {name} {seed}: {told}\n{small.script()}\n"


def _way(problem: BaseException) -> str:
    """The check that was at work when something raised."""
    frames = traceback.extract_tb(problem.__traceback__)
    names = [frame.name for frame in frames if frame.name.startswith("check_")]
    return f"{names[-1]} " if names else ""


def problem_of(module: Any, program: Any, ways: dict[str, Any]) -> str | None:
    """What is wrong with a program; None when all ways agree."""
    try:
        outcome = module.check(program, **ways)
    except Disagreement as found:
        return str(found)
    except Exception as found:
        return f"{_way(found)}{type(found).__name__}: {found}"
    return None if outcome == "ok" else outcome
