"""Updates that a program makes without an optimizer; shared by lr-too-high and lr-too-low."""

from __future__ import annotations

from typing import Any

from ..positions import Position
from ..run import Pass, Run, Site
from ..vitals import rms, sample
from .writers import Writers


class HandUpdates:
    """By the line of a backward pass: the line that writes into the leaves afterwards, and by how
    much of their size it changes them."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._writers: Writers = run.shared(Writers)
        self._before: dict[int, Any] = {}  # leaves at the pass before
        self._written: dict[Position, tuple[Position, list[float]]] = {}
        self._gradients: dict[int, float] = {}  # of leaves, at the end of the pass before
        self._rates: dict[Position, list[float]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or self.run.optimizers:
            return
        for leaf in this.leaves:
            now, where = sample(leaf), self._writers.of(leaf)
            before = self._before.get(id(leaf))
            self._before[id(leaf)] = now
            if now is None or before is None or not where.is_users or now.shape != before.shape:
                continue
            change, gradient = rms(now - before), self._gradients.get(id(leaf), 0.0)
            if gradient > 0:
                self._rates.setdefault(this.site.position, []).append(change / gradient)
            size = rms(before)
            if size > 0:
                _, ratios = self._written.setdefault(this.site.position, (where, []))
                ratios.append(change / size)

    def pass_ends(self, this: Pass) -> None:
        if this.tape is None or self.run.optimizers:
            return
        for leaf in this.leaves:
            g = sample(leaf.grad)
            self._gradients[id(leaf)] = 0.0 if g is None else rms(g)

    def of(self, site: Site) -> tuple[Position, list[float]] | None:
        """The line that updates what a pass reaches, and the sizes of its updates."""
        return self._written.get(site.position)

    def rates(self, site: Site) -> list[float]:
        """The learning rates as far as updates and gradients tell."""
        return self._rates.get(site.position, [])


__all__ = ["HandUpdates"]
