"""`Measurement`: the times of one statement, and what can be said about them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...autograd.accidents import explain_module

MAX_SIGNIFICANT_FIGURES = 4
MIN_CONFIDENCE_INTERVAL = 25e-9  # seconds: below it a clock says nothing
WARN_SPREAD, WORSE_SPREAD = 0.1, 0.25  # interquartile range over the median
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time in seconds is at least 1, and its length."""
    power = math.floor(math.log10(t) / 3) if t > 0 else 0
    unit = {-1: "ms", -2: "us", -3: "ns"}.get(max(power, -3) if power < 0 else 0, "s")
    return unit, _UNITS[unit]


def unit_to_english(u: str) -> str:
    """`ms` in full."""
    return {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}[u]


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What was timed."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        if "\n" not in self.stmt:
            return self.stmt + (f": {self.sub_label}" if self.sub_label else "")
        where = f"{self.sub_label}" if self.sub_label else "[a statement of several lines]"
        return where

    def setup_str(self) -> str:
        """The setup, as a line of a report."""
        if self.setup in ("", "pass"):
            return ""
        return f"setup: {self.setup}" if "\n" not in self.setup else f"setup:\n{self.setup}"

    def summarize(self) -> str:
        """What, with which setup and how many threads."""
        parts = [self.title, self.description or "", self.setup_str()]
        parts.append(f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}")
        return "\n".join(f"  {p}" if k else p for k, p in enumerate(parts) if p)


@dataclasses.dataclass(init=True, repr=False)
class Measurement:
    """The times of repeated runs of a statement, in seconds per run."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = None

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(TaskSpec, "__dataclass_fields__"):
            if name in TaskSpec.__dataclass_fields__ or name in ("title",):
                return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute {name!r}")

    @property
    def times(self) -> list[float]:
        """Seconds per run of the statement."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        self._need_times()
        return float(np.median(self.times))

    @property
    def mean(self) -> float:
        self._need_times()
        return float(np.mean(self.times))

    @property
    def iqr(self) -> float:
        """The range that holds the middle half of the times."""
        self._need_times()
        low, high = np.quantile(self.times, (0.25, 0.75))
        return float(high - low)

    def _need_times(self) -> None:
        if not self.raw_times:
            raise ValueError("No times: the statement was not run yet")

    @property
    def significant_figures(self) -> int:
        """How many digits of the median the spread of the times supports."""
        n_total = len(self.times)
        low = n_total // 4
        high = math.ceil(3 * n_total / 4)
        points = sorted(self.times)[low:high]
        std = float(np.std(points)) if len(points) > 1 else 0.0
        # Half the width of the interval that holds the median with 95 % certainty.
        sure = max(1.645 * std / math.sqrt(max(len(points), 1)), MIN_CONFIDENCE_INTERVAL)
        relative = math.log10(self.median / sure) if self.median > 0 else 0
        return min(max(math.floor(relative), 1), MAX_SIGNIFICANT_FIGURES)

    @property
    def has_warnings(self) -> bool:
        """Whether the times vary too much to be believed."""
        return len(self.times) > 1 and self.iqr / max(self.median, 1e-12) > WARN_SPREAD

    @property
    def as_row_name(self) -> str:
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def meets_confidence(self, threshold: float = WARN_SPREAD) -> bool:
        """Whether there are enough times and they lie close enough together."""
        return len(self.times) >= 4 and self.iqr / max(self.median, 1e-12) < threshold

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """Times of the same task in one measurement."""
        groups: dict[TaskSpec, list[Measurement]] = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).append(m)
        merged = []
        for spec, group in groups.items():
            times = [t for m in group for t in m.times]
            merged.append(Measurement(1, times, spec, None))
        return merged

    def __repr__(self) -> str:
        lines = [f"<chainrule.utils.benchmark.Measurement object at {hex(id(self))}>"]
        lines.append(self.task_spec.summarize())
        if self.raw_times:
            unit, length = select_unit(self.median)
            figure = f"{self.median / length:.2f} {unit}"
            if len(self.times) == 1:
                lines.append(f"  {figure}")
            else:
                lines.append(f"  Median: {figure}")
                lines.append(f"  IQR:    {self.iqr / length:.2f} {unit}")
            count = len(self.times)
            lines.append(
                f"  {count} measurement{'s' if count > 1 else ''}, {self.number_per_run} runs per "
                "measurement"
            )
            if self.has_warnings:
                lines.append(
                    f"  WARNING: the interquartile range is {self.iqr / self.median:.0%} of the "
                    "median: something else was running"
                )
        return "\n".join(lines)


explain_module(globals())
