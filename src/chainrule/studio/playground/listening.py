"""The doctor beside a run that must stay fast: it listens now and then, to whole stretches."""

from __future__ import annotations

import time
from typing import Any

from ...doctor import watch

FIRST, LATER = 200, 40  # steps of a stretch
SHARE = 0.02  # of the time that later stretches may take
# What only the beginning of a run can tell, or a longer stretch.
ONLY_FIRST = ["bad-initialization", "lr-too-low", "constant-output", "stale-optimizer"]


class Listening:
    """Keeps the findings of all stretches, each told once."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, int], dict[str, Any]] = {}
        self._watch: Any = watch().start()  # before the model is made: it hears of its lines
        self._left = FIRST
        self._began = time.perf_counter()
        self._due = 0.0

    @property
    def listens(self) -> bool:
        return self._watch is not None

    def begin_if_due(self, model: Any, optimizer: Any) -> None:
        """Begin the next stretch when it is time for one."""
        if self._watch is None and time.perf_counter() >= self._due:
            self._watch = watch(model, optimizer, ignore=ONLY_FIRST).start()
            self._left, self._began = LATER, time.perf_counter()

    def step_ends(self) -> None:
        """Count the steps of a stretch, and end it."""
        self._left -= 1
        if not self._left:
            self.stop()

    def findings(self) -> list[dict[str, Any]]:
        if self._watch is not None:
            self._add()
        return list(self.found.values())

    def stop(self) -> None:
        """End the present stretch, if there is one."""
        if self._watch is not None:
            self._watch.stop()
            self._add()
            self._watch = None
            now = time.perf_counter()
            self._due = now + (now - self._began) / SHARE

    def _add(self) -> None:
        for finding in self._watch.findings:
            facts = finding.facts()
            self.found.setdefault((facts["rule"], facts["line"]), facts)


__all__ = ["Listening"]
