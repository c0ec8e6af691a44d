"""Make a failing program as short as it gets while it fails in the same way."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def shrink(program: Any, fails: Callable[[Any], bool], seconds: float = 20.0) -> Any:
    """Take smaller programs as long as there is one that still fails."""
    end = time.monotonic() + seconds
    best, changed = program, True
    while changed:
        changed = False
        for fewer in best.smaller():
            if time.monotonic() > end:
                return best
            if fails(fewer):
                best, changed = fewer, True
                break
    return best
