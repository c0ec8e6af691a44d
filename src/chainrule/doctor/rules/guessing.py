"""What a loss would be if the model only guessed: a loss that stays above it learns nothing, even
while it falls from where a bad start or a wild step has thrown it."""

from __future__ import annotations

import math

import numpy as np

from ...reading.nodes import Vertex
from ..positions import Position
from ..run import Pass, Run, Site

ROWS = 4  # of a batch, for its spread to mean something
BETTER = 0.97  # of the loss of a guess: what has learnt more than the mean lies below
CLASSES = ("cross_entropy", "cross_entropy2d")


class Guessing:
    """The loss of a plain guess, by site."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._guesses: dict[Position, float] = {}  # the largest
        self._sums: dict[Position, tuple[float, int]] = {}

    def pass_begins(self, this: Pass) -> None:
        if this.tape is None or this.tape.root.node is None:
            return
        guess = guess_of(this.tape.root)  # where more is added, its size says nothing
        if guess is not None:
            known = self._guesses.get(this.site.position, guess)
            self._guesses[this.site.position] = max(known, guess)
            total, count = self._sums.get(this.site.position, (0.0, 0))
            self._sums[this.site.position] = total + guess, count + 1

    def level(self, site: Site) -> float:
        """The loss of a guess; 0 where it is not known."""
        return self._guesses.get(site.position, 0.0)

    def is_beaten_by(self, site: Site, times: float) -> bool:
        """Whether guessing is so many times better than where a loss has ended."""
        guess = self._guesses.get(site.position)
        return guess is not None and guess > 0 and site.losses.end() > times * guess

    def began_below(self, site: Site, share: float) -> bool:
        """Whether a loss began below that share of the loss of a guess: a trained model."""
        total, count = self._sums.get(site.position, (0.0, 0))
        return count > 0 and site.losses.start() < share * total / count

    def is_outdone(self, by: float = 0.2) -> bool:
        """Whether some loss falls clearly, and to below that of a guess: the model learns."""
        return any(
            site.losses.falls(by) and not self.is_beaten_by(site, BETTER)
            for site in self.run.sites.values()
        )

    def is_better(self, times: float) -> bool:
        """Whether it is so for some loss of the run."""
        return any(self.is_beaten_by(site, times) for site in self.run.sites.values())


def guess_of(loss: Vertex) -> float | None:
    """ln C for C classes, ln 2 for yes or no, the spread of the targets for numbers."""
    saved = loss.saved()
    if loss.parameters().get("reduction", saved.get("reduction", "mean")) != "mean":
        return None
    if loss.op in CLASSES:
        scores = saved.get("x")
        known = isinstance(scores, np.ndarray) and scores.ndim > 1
        return math.log(max(2, scores.shape[1])) if known else None  # type: ignore[union-attr]
    target = saved.get("y")
    if (
        not isinstance(target, np.ndarray)
        or not target.ndim
        or len(target) < ROWS
        or target.dtype.kind != "f"
    ):
        return None
    if loss.op in ("bce_with_logits", "binary_cross_entropy"):
        return math.log(2)
    if loss.op == "mse_loss":
        return float(target.var(0).mean())
    if loss.op == "l1_loss":
        return float(np.abs(target - np.median(target, 0)).mean())
    return None


__all__ = ["Guessing", "guess_of"]
