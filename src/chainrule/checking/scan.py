"""A function followed along a line: its slope everywhere, and where that breaks down.

At t all entries of the input have the value t (plus fixed offsets, see `Track`); the slope is how
fast the weighed outputs change along a direction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.value import TensorBase, make

SATURATED = 0.05  # of the greatest slope
SPAN = (-10.0, 10.0)
_STEPS = 401


@dataclass(frozen=True)
class Break:
    """A place where the slope (kink) or the value (jump) changes at once."""

    kind: str  # "kink" or "jump"
    at: float
    left: float
    right: float


@dataclass(frozen=True)
class Zone:
    """A stretch of inputs that behave alike: dead, saturated or overflow."""

    kind: str
    start: float
    end: float

    def __str__(self) -> str:
        return f"{self.kind} for x in [{self.start:.4g}, {self.end:.4g}]"


@dataclass
class Scan:
    """Slopes along the line."""

    at: np.ndarray
    value: np.ndarray
    slope: np.ndarray
    breaks: list[Break]
    zones: list[Zone]

    @property
    def greatest(self) -> float:
        """The largest finite |slope|."""
        finite = np.abs(self.slope[np.isfinite(self.slope)])
        return float(finite.max(initial=0.0))


Line = Callable[[float], tuple[float, float]]


@dataclass(frozen=True)
class Track:
    """The inputs x = base + t * direction, and how outputs are weighed into one number.

    For an element-wise function all entries are t and the slope is its derivative. For others
    (norms, softmax, layers) equal entries are degenerate, so base and weights are random.
    """

    base: np.ndarray
    direction: np.ndarray
    pointwise: bool

    def inputs(self, t: float, dtype: Any = np.float64) -> np.ndarray:
        return (self.base + t).astype(dtype)

    def weights(self, shape: tuple[int, ...]) -> np.ndarray:
        """How outputs are weighed; the mean of the weighed outputs is followed."""
        if self.pointwise:
            return np.ones(shape)
        return np.random.default_rng(23).standard_normal(shape)


def track_for(f: Callable[..., Any], shape: tuple[int, ...]) -> Track:
    """The track that suits f."""
    if is_pointwise(f, shape):
        return Track(np.zeros(shape), np.ones(shape), True)
    rng = np.random.default_rng(29)
    return Track(rng.standard_normal(shape), rng.standard_normal(shape), False)


def is_pointwise(f: Callable[..., Any], shape: tuple[int, ...]) -> bool:
    """Whether every entry of the output depends on its own entry of the input alone."""
    x = np.random.default_rng(31).standard_normal(shape)
    try:
        y = first_output(f(make(x.copy())))._a
        moved = x.copy()
        moved.reshape(-1)[::2] += 0.5
        z = first_output(f(make(moved)))._a
    except Exception:
        return False
    if y.shape != x.shape:
        return False
    return bool(np.array_equal(y.reshape(-1)[1::2], z.reshape(-1)[1::2], equal_nan=True))


def line_of(f: Callable[..., Any], track: Track, dtype: Any = np.float64) -> Line:
    """t -> (weighed output, slope) of f on the track."""

    def at(t: float) -> tuple[float, float]:
        x = make(track.inputs(t, dtype))
        x._rg = True
        y = first_output(f(x))
        weights = track.weights(y._a.shape)
        count = max(weights.size, 1)
        value = float(np.sum(np.asarray(y._a, np.float64) * weights)) / count
        if not y._rg:
            return value, 0.0
        (g,) = grad(y, (x,), make(weights.astype(y._a.dtype)), allow_unused=True)
        slope = 0.0 if g is None else float(np.sum(g._a * track.direction)) / count
        return value, slope

    return at


def first_output(result: Any) -> Any:
    """A function's (first) tensor."""
    found = result[0] if isinstance(result, tuple | list) else result
    if not isinstance(found, TensorBase):
        raise TypeError(
            f"the checked function must return a tensor, but returned a {type(found).__name__}"
        )
    return found


def scan(line: Line, span: tuple[float, float] = SPAN, steps: int = _STEPS) -> Scan:
    """Follow the line over a span of inputs."""
    at = np.linspace(*span, steps)
    with np.errstate(all="ignore"):
        pairs = [line(float(t)) for t in at]
        value = np.array([v for v, _ in pairs])
        slope = np.array([s for _, s in pairs])
        found = Scan(at, value, slope, [], [])
        found.breaks = _breaks(line, found)
    found.zones = _zones(found)
    return found


# ---- breaks ------------------------------------------------------------------------------------


def _breaks(line: Line, s: Scan) -> list[Break]:
    """Where neighbouring slopes or values differ most, looked at more closely."""
    width = float(s.at[1] - s.at[0])
    turned = np.abs(np.diff(s.slope))
    # What the slopes at both ends do not explain of the change in value.
    unexplained = np.abs(np.diff(s.value) - width * (s.slope[1:] + s.slope[:-1]) / 2)
    sharpness = np.maximum(_relative(turned, s.slope), _relative(unexplained, s.value))
    candidates = [int(i) for i in np.argsort(-sharpness)[:_MOST_BREAKS] if sharpness[i] > 0.02]
    found: list[Break] = []
    for i in sorted(candidates):
        closer = _closer(line, float(s.at[i]), float(s.at[i + 1]))
        if closer is not None and not any(abs(b.at - closer.at) < 1e-6 for b in found):
            found.append(closer)
    return found


_MOST_BREAKS = 24


def _relative(change: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Changes as shares of the values' range; 0 where not finite or only rounding moves them."""
    finite = values[np.isfinite(values)]
    extent = float(np.ptp(finite)) if finite.size else 0.0
    if extent <= 1e-9 * float(np.abs(finite).max(initial=0.0)):
        return np.zeros_like(change)
    return np.where(np.isfinite(change), change / extent, 0.0)


def _closer(line: Line, low: float, high: float) -> Break | None:
    """Halve the interval towards the break; None when the function turns out smooth there."""
    a, b = line(low), line(high)
    turn = abs(b[1] - a[1])
    for _ in range(40):
        middle = (low + high) / 2
        m = line(middle)
        left = (abs(m[0] - a[0]), abs(m[1] - a[1]))
        right = (abs(b[0] - m[0]), abs(b[1] - m[1]))
        if left[1] + left[0] >= right[1] + right[0]:
            high, b = middle, m
        else:
            low, a = middle, m
    place = round((low + high) / 2, 9) + 0.0
    # What holds at the place itself is a convention; look on either side of it.
    before, after = line(place - 1e-6), line(place + 1e-6)
    if abs(b[0] - a[0]) > 1e-6:
        return Break("jump", place, before[0], after[0])
    if abs(b[1] - a[1]) > max(1e-6, 0.25 * turn):
        return Break("kink", place, before[1], after[1])
    return None


# ---- zones -------------------------------------------------------------------------------------


def _zones(s: Scan) -> list[Zone]:
    limit = SATURATED * s.greatest
    kinds = []
    for v, d in zip(s.value, s.slope, strict=True):
        if not (np.isfinite(v) and np.isfinite(d)):
            kinds.append("overflow")
        elif d == 0:
            kinds.append("dead")
        elif abs(d) < limit:
            kinds.append("saturated")
        else:
            kinds.append("")
    zones: list[Zone] = []
    start = 0
    for k in range(1, len(kinds) + 1):
        if k == len(kinds) or kinds[k] != kinds[start]:
            if _is_zone(kinds[start], start, k, len(kinds)):
                zones.append(Zone(kinds[start], float(s.at[start]), float(s.at[k - 1])))
            start = k
    return zones


def _is_zone(kind: str, start: int, end: int, count: int) -> bool:
    """One point of slope zero is an extremum; small slopes between large ones are no saturation."""
    if kind == "saturated":
        return start == 0 or end == count
    return kind == "overflow" or (kind == "dead" and end - start > 1)


def overflow_from(line: Line, towards: float) -> float | None:
    """The smallest |t| on the way to `towards` where value or slope is not finite."""

    def bad(t: float) -> bool:
        with np.errstate(all="ignore"):
            return not np.isfinite(line(t)).all()

    good = 0.0
    for part in (1e-3, 1e-2, 0.1, 1.0):
        t = part * towards
        if bad(t):
            low, high = good, t
            for _ in range(30):
                middle = (low + high) / 2
                low, high = (low, middle) if bad(middle) else (middle, high)
            return high
        good = t
    return None
