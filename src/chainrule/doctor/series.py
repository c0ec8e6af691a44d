"""Values over a run in bounded memory, and whether they fall."""

from __future__ import annotations

import itertools
import math

CHANCE = 4.0  # differences of pure noise are as large once in fifty times
KEPT = 512  # values; beyond that every second one is dropped, again and again


class Series:
    """(step, value) pairs: the first ones, and later ones ever more sparsely."""

    def __init__(self) -> None:
        self.points: list[tuple[int, float]] = []
        self.count = 0
        self.stride = 1
        self.last = math.nan

    def add(self, step: int, value: float) -> None:
        """Note a value."""
        if self.count % self.stride == 0:
            self.points.append((step, value))
            if len(self.points) > KEPT:
                self.points = self.points[:32] + self.points[32::2]
                self.stride *= 2
        self.count += 1
        self.last = value

    @property
    def values(self) -> list[float]:
        return [v for _, v in self.points]

    def start(self) -> float:
        """The median of the first tenth."""
        return _median(self.values[: self._tenth()])

    def end(self) -> float:
        """The median of the last tenth."""
        return _median(self.values[-self._tenth() :])

    def _tenth(self) -> int:
        return max(3, len(self.points) // 10)

    def falls(self, by: float = 0.2) -> bool:
        """Whether it fell by a share of where it began, and by more than batches differ."""
        values = self.values
        if len(values) < 6 or not all(math.isfinite(v) for v in values[-3:]):
            return False
        start, end = min(self.start(), values[0]), self.end()
        return end < start - by * abs(start) and self._clearly()

    def _clearly(self) -> bool:
        """Whether the thirds of the run differ by more than chance explains.

        Neighbours differ by the noise of batches and next to nothing of the fall itself; a median
        of m values is known to about 1.25 sigma / sqrt(m).
        """
        values = [v for v in self.values if math.isfinite(v)]
        third = max(3, len(values) // 3)
        noise = _median([abs(b - a) for a, b in itertools.pairwise(values)])
        return _median(values[:third]) - _median(values[-third:]) > CHANCE * noise / third**0.5

    def diverges(self) -> bool:
        """Whether it left all bounds: beyond ten times its first value, growing on the way."""
        values = self.values
        first = next((abs(v) for v in values if math.isfinite(v) and v), 0.0)
        beyond = [v for v in values if not math.isfinite(v) or abs(v) > 10 * first]
        grown = [v for v in values if math.isfinite(v) and abs(v) > 3 * first]  # not NaN at once
        end = next((k for k, v in enumerate(values) if not math.isfinite(v)), len(values))
        if end < len(values) and not (end and abs(values[end - 1]) > 10 * first):
            return False  # what ended it came at once
        ends = bool(values) and (not math.isfinite(values[-1]) or values[-1] > 3 * first)
        if end == len(values) and any(v < 0 for v in values):  # a level says nothing there
            third = max(3, len(values) // 3)
            sizes = [abs(v) for v in values]
            ends = ends and _median(sizes[-third:]) > 2 * _median(sizes[-2 * third : -third])
        return bool(first) and len(beyond) >= 3 and len(grown) >= 2 and ends


def _median(values: list[float]) -> float:
    finite = sorted(v for v in values if math.isfinite(v))
    return finite[len(finite) // 2] if finite else math.nan


__all__ = ["Series"]
