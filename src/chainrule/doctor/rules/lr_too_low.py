"""lr-too-low: steps so small that nothing happens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from ..positions import Position
from ..run import OptimizerRecord
from ..vitals import Vitals
from .base import Rule
from .guessing import Guessing
from .hand_updates import HandUpdates
from .learning_rate import NOT_JUDGED, update_ratios

TINY = 3e-6  # of the weights, in one step
USUAL = 1e-5  # a rate above is not small in itself
MOVED = 1e-2  # of the weights, in the whole run
STAYED = 1e-3  # of the weights, in the whole run: no loss has moved by that
ENOUGH = 10
LEARNT = 0.5  # of the loss of a guess, from the start: nothing is left to do
CUT = 100.0  # times the rate: what the optimizer was given before its schedule made it so small


class LrTooLow(Rule):
    """Watches steps that leave every weight as it was to six digits although there are gradients,
    and by less than a hundredth over the whole run, while the loss does not fall.

    Silent: warm-up (the largest step of the run counts), runs whose loss moves, models that knew
    nearly everything at the start (fine-tuning), gradients that are zero.
    """

    id = "lr-too-low"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._vitals: Vitals = run.shared(Vitals)
        self._guessing: Guessing = run.shared(Guessing)
        self._by_hand_updates: HandUpdates = run.shared(HandUpdates)
        self._schedules: dict[int, tuple[float, Position]] = {}  # by optimizer: its own rate

    def scheduler_made(self, scheduler: Any, where: Position) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is not None and where.is_users:
            own = max((g.get("initial_lr", g["lr"]) for g in optimizer.param_groups), default=0.0)
            self._schedules[id(self.run.record_of(optimizer))] = float(own), where

    def findings(self) -> Iterator[Finding]:
        if self.run.learns():
            return
        if not self.run.optimizers:
            yield from self._by_hand()
        for record in self.run.optimizers:
            if record.kind in NOT_JUDGED or record.steps < ENOUGH:
                continue
            ratios = update_ratios(self._vitals, record)
            if len(ratios) < ENOUGH or max(ratios) > TINY or not self._has_gradients(record):
                continue
            site = max(self.run.sites.values(), key=lambda s: s.count, default=None)
            if site is None or sum(ratios) / len(ratios) * record.steps > MOVED:
                continue
            if self._guessing.began_below(site, LEARNT):
                continue
            rate = self._vitals.rates.get(id(record), 0.0)
            if rate > USUAL and _moves(site.losses.start(), site.losses.end()):
                continue  # a small loss, then: perhaps its scale is meant
            own, scheduled = self._schedules.get(id(record), (0.0, record.position))
            yield Finding(
                self.id,
                WARNING,
                scheduled if own > CUT * rate else record.position,
                f"the learning rate {rate:g} of {record.kind} is too low: nothing moves",
                [
                    f"a step changes the weights by {max(ratios):.2g} of their size (healthy: "
                    "about 0.001)",
                    f"the loss went from {site.losses.start():.6g} to {site.losses.end():.6g} in "
                    f"{site.count} passes",
                ],
                f"lr={_larger(rate, max(ratios))}",
                curves={"loss": [(float(x), y) for x, y in site.losses.points]},
            )

    def _by_hand(self) -> Iterator[Finding]:
        """Updates without an optimizer: the line that writes into the parameters."""
        for site in self.run.sites.values():
            known = self._by_hand_updates.of(site)
            if known is None or site.count < ENOUGH or self._guessing.began_below(site, LEARNT):
                continue
            where, ratios = known
            rates, values = self._by_hand_updates.rates(site), site.losses
            if len(rates) < ENOUGH or max(rates) > TINY:
                continue
            stayed = sum(ratios) / len(ratios) * site.count < STAYED  # what moves then is the data
            if not stayed and _moves(values.start(), values.end()):
                continue
            yield Finding(
                self.id,
                WARNING,
                where,
                "the learning rate of this update is too low: nothing moves",
                [
                    f"an update changes the weights by {max(rates):.2g} of their gradient",
                    f"the loss went from {values.start():.6g} to {values.end():.6g} in "
                    f"{site.count} passes",
                ],
                "a learning rate a thousand times larger",
                curves={"loss": [(float(x), y) for x, y in values.points]},
            )

    def _has_gradients(self, record: OptimizerRecord) -> bool:
        histories = [h for h in self._vitals.histories.values() if h.optimizer is record]
        histories = [h for h in histories if h.is_weight] or histories
        return any(h.gradient.values and max(h.gradient.values) > 1e-7 for h in histories)


def _moves(start: float, end: float) -> bool:
    return not math.isfinite(end) or abs(end - start) > 2e-3 * abs(start)


def _larger(rate: float, ratio: float) -> str:
    if rate <= 0 or ratio <= 0:
        return "1e-3"
    return f"{10 ** round(math.log10(rate * 1e-3 / ratio)):g}"
