"""Run the sweep of absurd arguments: `python -m fuzz.arguments [--only nn.Linear]`."""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections import Counter
from typing import Any

from ..supervised import outcomes
from .calls import Trial, trials
from .judge import judging

_GOOD = ("returned", "refused")
_PATIENCE = 12.0  # seconds for one call


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="fuzz.arguments", description=__doc__)
    parser.add_argument("--only", default="", help="calls whose name contains this")
    parser.add_argument("--every", type=int, default=1, help="one trial in so many")
    parser.add_argument("--first", type=int, default=0, help="leave out so many trials")
    parser.add_argument("--finds", type=int, default=0, help="stop after so many finds")
    options = parser.parse_args(argv)
    todo = [t for t in trials() if options.only in t.call.name][options.first :: options.every]
    counts: Counter[str] = Counter()
    start = time.monotonic()
    found = 0
    for number, _, outcome, problem in _all(todo):
        counts[outcome] += 1
        if outcome not in _GOOD:
            found += 1
            print(f"--- {outcome}: {todo[number]}: {problem}", flush=True)
            if found == options.finds:
                break
    said = ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items()))
    names = len({t.call.name for t in todo})
    seconds = time.monotonic() - start
    print(f"{sum(counts.values())} calls of {names} functions in {seconds:.0f} s: {said}")
    return 1 if found else 0


def _all(todo: list[Trial]) -> Any:
    return outcomes(0, len(todo), functools.partial(judging, todo), _PATIENCE)


if __name__ == "__main__":
    sys.exit(main())
