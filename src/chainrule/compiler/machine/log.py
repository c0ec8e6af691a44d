"""`CHAINRULE_LOG=compile`: what the compiler does and how long it takes, on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any


def enabled() -> bool:
    """Whether anybody wants to know."""
    return "compile" in os.environ.get("CHAINRULE_LOG", "").split(",")


def say(text: str | Callable[[], str]) -> None:
    """Print lines of text (or what a function returns, called only if it is printed)."""
    if enabled():
        for line in (text if isinstance(text, str) else text()).splitlines():
            print(f"[compile] {line}", file=sys.stderr)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Print how long the block took."""
    if not enabled():
        yield
        return
    start = perf_counter()
    yield
    say(f"{what}: {1e3 * (perf_counter() - start):.1f} ms")


def pass_done(name: str, graph: Any) -> None:
    """How many instructions a pass left."""
    say(f"  {name}: {len(graph.instrs)} instructions")
