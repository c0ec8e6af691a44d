"""lr-too-high: steps so large that the loss cannot fall."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..finding import WARNING, Finding
from ..positions import Position
from ..run import OptimizerRecord, Site
from ..vitals import Vitals
from .base import Rule
from .guessing import BETTER, Guessing
from .hand_updates import HandUpdates
from .learning_rate import NOT_JUDGED, is_usual, steep, update_ratios

RAISED = 5.0  # times the first rate
LARGE = 0.3  # of the weights, in one step
WILD = 10.0  # the same, so large that one such step throws the model away
OFTEN = 5
ENOUGH = 8  # passes
HOPELESS = 2.0  # times the loss of a guess, at the end
FAR_UP, HALF_WAY = 30.0, 0.4  # times the first loss: how far up, and where it ends
NO_BETTER = 0.85  # of the first loss, after it was thrown up
REPLACED = 3.0  # of the weights, in one step: nothing of them is left
WAY_BACK = 8  # passes that a loss thrown far up needs until it is where it began


class LrTooHigh(Rule):
    """Watches the size of steps beside the size of weights, and the loss: steps that change weights
    by more than 30 % again and again while the loss does not fall, a loss that the first steps
    throw far up and that needs many more to come back, or one that grows without end. Without an
    optimizer it names the line that updates the weights, after a scheduler that raised the rate the
    scheduler. A loss that falls and ends far above that of a guess counts as one that does not.

    Silent: any run whose loss falls; weights that begin at zero; adversarial losses that swing
    around a level with small steps; LBFGS, whose steps are long by design.
    """

    id = "lr-too-high"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._vitals: Vitals = run.shared(Vitals)
        self._by_hand_updates: HandUpdates = run.shared(HandUpdates)
        self._guessing: Guessing = run.shared(Guessing)
        self._schedulers: dict[int, tuple[Position | None, float]] = {}

    def findings(self) -> Iterator[Finding]:
        learns = self.run.learns()
        again = any(self._starts_again(site) for site in self.run.sites.values())
        thrown = self._guessing.is_better(HOPELESS) or self._thrown_up()
        if learns and not thrown and not again:
            return
        for record in self.run.optimizers:
            if record.kind in NOT_JUDGED or record.steps < ENOUGH:
                continue
            if is_usual(self._vitals.rates.get(id(record))) and steep(self._vitals, record):
                continue  # exploding-gradient: with such gradients no rate is small enough
            found = self._judge(record, learns)
            if found is not None:
                yield found
        if not self.run.optimizers and not learns:
            yield from self._by_hand()

    def scheduler_made(self, scheduler: Any, where: Position) -> None:
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is not None and where.is_users:
            record = self.run.record_of(optimizer)
            self._schedulers[id(record)] = (where, max(record.rates(), default=0.0))

    def _raised_by(self, record: OptimizerRecord) -> Position | None:
        """The scheduler that raised the rate far beyond where it began."""
        where, first = self._schedulers.get(id(record), (None, 0.0))
        raised = self._vitals.rates.get(id(record), 0.0) > RAISED * first > 0
        return where if raised else None

    def _thrown_up(self) -> list[Site]:
        """Losses that the first steps threw up: what falls afterwards is the way back, as long as
        it has not come to less than a guess, or hardly below where it began."""
        found = []
        for site in self.run.sites.values():
            if len(site.losses.points) < ENOUGH or not _leaps(site):
                continue
            back = self._guessing.is_beaten_by(site, BETTER)
            if back or (_leaps(site, FAR_UP) and _worse(site, HALF_WAY)):
                found.append(site)
        return found

    def _starts_again(self, site: Site) -> bool:
        """Whether a loss was thrown far above that of a guess, and was long above its beginning.

        How far it comes back by the end of the run hangs on rounding, so that does not matter; to
        be blamed, a step has to have replaced the weights.
        """
        values, guess = site.losses.values, self._guessing.level(site)
        if len(values) <= WAY_BACK or guess <= 0:
            return False
        level = max(abs(values[0]), guess)
        highest = max((v for v in values[:12] if math.isfinite(v)), default=0.0)
        return highest > FAR_UP * level and all(not v < level for v in values[1 : 1 + WAY_BACK])

    def _by_hand(self) -> Iterator[Finding]:
        """Updates without an optimizer: the line that writes into the parameters."""
        for site in self.run.sites.values():
            known = self._by_hand_updates.of(site)
            if not site.losses.diverges() or known is None:
                continue
            where, ratios = known
            values = site.losses.values
            if sum(r > LARGE or not math.isfinite(r) for r in ratios) < 2:
                continue
            yield Finding(
                self.id,
                WARNING,
                where,
                "the learning rate of this update is too high: the loss grows without end",
                [
                    f"the loss went from {values[0]:.4g} to {values[-1]:.4g}, {site.count} passes",
                    f"an update changes the weights by {ratios[0]:.2g} of their size",
                ],
                "a learning rate ten or a hundred times smaller",
                curves={"loss": [(float(x), y) for x, y in site.losses.points]},
            )

    def _judge(self, record: OptimizerRecord, learns: bool) -> Finding | None:
        ratios = update_ratios(self._vitals, record)
        large = sum(r > LARGE or not math.isfinite(r) for r in ratios)
        sites = [s for s in self.run.sites.values() if len(s.losses.points) >= ENOUGH]
        hopeless = [s for s in sites if self._guessing.is_beaten_by(s, HOPELESS)]
        worse = [s for s in sites if s in hopeless or (_worse(s) and not learns)]
        growing = [s for s in sites if s.losses.diverges()]
        leaping = [s for s in sites if _leaps(s) and _worse(s, NO_BETTER)]
        thrown = self._thrown_up()
        again = [s for s in sites if self._starts_again(s)]
        if (
            not (growing and (large >= 2 or not ratios))
            and not (large >= OFTEN and worse)
            and not (large >= 1 and leaping)
            and not (hopeless and any(r > WILD for r in ratios))
            and not (thrown and large >= 1)
            and not (again and any(r > REPLACED for r in ratios))
        ):
            return None
        site = (growing or leaping or worse or hopeless or thrown or again)[0]
        values = site.losses.values
        rate = self._vitals.rates.get(id(record))
        seen = [f"the loss went from {values[0]:.4g} to {values[-1]:.4g} in {site.count} passes"]
        if ratios:
            finite = [r for r in ratios if math.isfinite(r)]
            shown = sorted(finite)[len(finite) // 2] if finite else math.inf
            seen.append(
                f"a step changes the weights by {shown:.2g} of their size (healthy: about 0.001)"
            )
        return Finding(
            self.id,
            WARNING,
            self._raised_by(record) or record.position,
            f"the learning rate{f' {rate:g}' if rate is not None else ''} of {record.kind} is too "
            "high: the loss cannot fall",
            seen,
            f"lr={_smaller(rate)}" if rate else "a smaller lr",
            curves={"loss": [(float(x), y) for x, y in site.losses.points]},
        )


def _leaps(site: Site, times: float = 5.0) -> bool:
    """Whether the first steps threw the loss far above where it began."""
    values = [v for v in site.losses.values[:12] if math.isfinite(v)]
    return len(values) >= 4 and max(values[1:]) > times * abs(values[0]) + 1e-6


def _worse(site: Site, share: float = 1.0) -> bool:
    values = site.losses.values
    end = next((k for k, v in enumerate(values) if not math.isfinite(v)), len(values))
    known = values[:end]  # a NaN that comes at once is no matter of steps
    third = sorted(known[-max(3, len(known) // 3) :])
    return bool(third) and third[len(third) // 2] >= share * values[0]


def _smaller(rate: float) -> str:
    return f"{10 ** math.floor(math.log10(rate) - 1.5):g}" if rate > 0 else "1e-3"
