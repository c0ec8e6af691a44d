"""Every claim that the measurements can support or refute."""

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log

from .case import Goal
from .driver import Row
from .quantities import quantity
from .workloads.readers import MOST

OURS = "chainrule"
# Two timings of the same program differ by about this much on a quiet machine.
NOISE = 1.03
# 0.07 s where NumPy takes 0.13 s to import, and in proportion on a slower machine.
IMPORT_SECONDS_OVER_NUMPY, NUMPY_SECONDS = 0.07, 0.13
# Groups in which eager chainrule must be faster than eager PyTorch on geometric average, too.
MEAN_GOALS = {"train": 1.2}
# Memory of attention may grow with the sequence to this power; 1 is linear.
ATTENTION_GROWTH = 1.25


@dataclass(frozen=True)
class Verdict:
    claim: str
    holds: bool


def verdicts(rows: list[Row]) -> Iterator[Verdict]:
    for row in rows:
        if problem := row.disagreement():
            yield Verdict(f"{row.name}: {problem}", False)
        for goal in row.goals:
            if verdict := goal_verdict(row, goal):
                yield verdict
        yield from limit_verdicts(row)
        if row.name == "import" and {OURS, "control"} <= row.measured.keys():
            yield import_verdict(row.measured[OURS], row.measured["control"])
    yield from mean_verdicts(rows)
    yield from mode_verdicts({row.name: row for row in rows if row.group == "mode"})
    yield from reader_verdicts({row.name: row for row in rows if row.group == "reader"})
    yield from attention_verdicts({row.name: row for row in rows if row.group == "attention"})


def goal_verdict(row: Row, goal: Goal) -> Verdict | None:
    peer = row.winner(goal.peers)
    ratio = row.ratio(peer, goal.engine) if peer else None
    if ratio is None:
        return None
    claim = f"{row.name}: {goal.engine} {ratio:.2f}x {peer}, at least {goal.ratio:g}x wanted"
    return Verdict(claim, ratio >= goal.ratio)


def limit_verdicts(row: Row) -> Iterator[Verdict]:
    times = times_the_floor(row)
    if row.floor is not None and times is not None:
        claim = f"{row.name}: {times:.2f} times its floor, at most {row.floor:g} wanted"
        yield Verdict(claim, times <= row.floor)
    if row.limit is not None and (used := row.best(row.limit[0])):
        engine, most = row.limit
        figures = f"{quantity(used, row.unit)}, at most {quantity(most, row.unit)} wanted"
        yield Verdict(f"{row.name}: {engine} {figures}", used <= most)


def times_the_floor(row: Row) -> float | None:
    """How many times the floor the compiled step needs (the eager one where that is missing)."""
    ours = row.winner(["compiled"]) or row.winner([OURS])
    return row.ratio(ours, "floor") if ours else None


def mean_verdicts(rows: list[Row]) -> Iterator[Verdict]:
    for group, wanted in MEAN_GOALS.items():
        ratios = [
            row.ratio("torch", OURS)
            for row in rows
            for goal in row.goals
            if row.group == group and goal.engine == OURS and goal.ratio >= 1
        ]
        known = [ratio for ratio in ratios if ratio is not None]
        if known:
            mean = statistics.geometric_mean(known)
            claim = f"{group}: geometric mean of {OURS} {mean:.2f}x torch"
            yield Verdict(f"{claim}, at least {wanted:g}x wanted", mean >= wanted)


def import_verdict(ours: list[float], numpy: list[float]) -> Verdict:
    """Judged round by round: the best of each could come from different minutes of the machine."""
    margins = []
    for mine, floor in zip(ours, numpy, strict=False):
        allowed = IMPORT_SECONDS_OVER_NUMPY * max(1.0, floor / NUMPY_SECONDS)
        margins.append((allowed - (mine - floor), mine - floor, allowed))
    margin, extra, allowed = max(margins)
    claim = f"import: {extra:.3f} s over numpy, at most {allowed:.3f} s wanted"
    return Verdict(claim, margin >= 0)


def mode_verdicts(rows: dict[str, Row]) -> Iterator[Verdict]:
    """inference_mode never slower than no_grad, and both cheaper than recording."""
    for name in rows:
        prefix, mode = name.rsplit("/", 1)
        cheaper = {"no_grad": "recording", "inference_mode": "no_grad"}.get(mode)
        other = rows.get(f"{prefix}/{cheaper}")
        # Entering a mode for every single op may cost more than recording that op would.
        if other is None or (cheaper == "recording" and "/entered/" in name):
            continue
        ours, theirs = rows[name].best(OURS), other.best(OURS)
        if ours and theirs:
            claim = f"{prefix}: {mode} {quantity(ours, 's')}, {cheaper} {quantity(theirs, 's')}"
            yield Verdict(claim, ours <= theirs * NOISE)


def reader_verdicts(rows: dict[str, Row]) -> Iterator[Verdict]:
    """Looking costs what it may, and nothing when it is over."""
    for name, row in rows.items():
        prefix, what = name.rsplit("/", 1)
        alone = rows.get(f"{prefix}/unused")
        ours, free = row.best(OURS), alone.best(OURS) if alone else None
        if what in MOST and ours and free:
            claim = f"{name}: {ours / free:.2f} times the step alone, at most {MOST[what]:g} wanted"
            yield Verdict(claim, ours <= free * MOST[what])


def attention_verdicts(rows: dict[str, Row]) -> Iterator[Verdict]:
    """Linear memory, and not slower than the form that holds the whole matrix."""
    memory: dict[str, dict[int, float]] = {}
    for name, row in rows.items():
        _, length, form, what = name.split("/")
        used = row.best(OURS)
        if not form.startswith("blockwise") or not used:
            continue
        kind = form.replace("blockwise", "attention")
        if what == "memory":
            memory.setdefault(kind, {})[int(length)] = used
            continue
        whole = rows.get(f"attention/{length}/{form.replace('blockwise', 'materialised')}/time")
        if whole is not None and (theirs := whole.best(OURS)):
            claim = f"{kind} at {length}: {quantity(used, 's')}, materialised"
            yield Verdict(f"{claim} {quantity(theirs, 's')}", used <= theirs * NOISE)
    for kind, points in memory.items():
        if len(points) > 1:
            growth = exponent(points.items())
            claim = f"{kind}: memory grows with the sequence to the power {growth:.2f}"
            yield Verdict(f"{claim}, at most {ATTENTION_GROWTH} wanted", growth <= ATTENTION_GROWTH)


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """Of the power law through the two largest points: what the cost tends to."""
    (n1, cost1), (n2, cost2) = sorted(points)[-2:]
    return log(cost2 / cost1) / log(n2 / n1)
