"""Draws that take as many words as chance decides: Poisson, binomial, gamma, Dirichlet.

Each value needs the place in the stream where the one before it stopped, so they are made one by
one, from uniforms that are generated ahead in bulk; what is left over goes back to the stream.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import TracebackType

import numpy as np

from ._checks import FLOATS, cast_from_double, chosen, require_dtype, scalar_type_name, type_name
from ._generator import Generator
from ._uniform import doubles

_SINGLE_AND_DOUBLE = frozenset({"float32", "float64"})


class _Stream:
    """53-bit uniforms and normals one at a time, with the lock held between enter and exit."""

    def __init__(self, generator: Generator, expected: int) -> None:
        self._generator = generator
        self._batch_size = max(64, expected)

    def __enter__(self) -> _Stream:
        self._generator.lock.acquire()
        self._start = self._generator.position()
        self._fetched = 0
        self._batch: list[float] = []
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        used = self._fetched - len(self._batch)
        self._generator.rewind(self._start)
        self._generator.skip_words(2 * used)
        self._generator.lock.release()

    def uniform(self) -> float:
        if not self._batch:
            # Reversed, so that taking the next one is a pop from the end.
            self._batch = doubles(self._generator, self._batch_size)[::-1].tolist()
            self._fetched += self._batch_size
        return self._batch.pop()

    def normal(self) -> float:
        waiting = self._generator.waiting_normal
        if waiting is not None:
            self._generator.waiting_normal = None
            return waiting
        angle = 2.0 * math.pi * self.uniform()
        radius = math.sqrt(-2.0 * math.log1p(-self.uniform()))
        self._generator.waiting_normal = radius * math.sin(angle)
        return radius * math.cos(angle)


# --- Poisson ---


def poisson(generator: Generator | None, rates: np.ndarray) -> np.ndarray:
    """Poisson counts, one for each rate, in the type of the rates."""
    dtype = require_dtype(rates.dtype, FLOATS, "poisson_cpu")
    flat = rates.astype(np.float64).ravel()
    valid = (flat >= 0) & (flat < np.inf)
    if not valid.all():
        raise RuntimeError(
            "invalid Poisson rate, expected rate to be non-negative and finite, but found "
            f"{flat[~valid][0]:g}. Use exp or softplus to make rates positive"
        )
    expected = int(np.minimum(flat + 1.0, 4.0).sum() * 1.2)
    with _Stream(chosen(generator), expected) as stream:
        counts = [_poisson_one(rate, stream.uniform) for rate in flat.tolist()]
    return cast_from_double(np.array(counts, np.float64), dtype).reshape(rates.shape)


def _poisson_one(rate: float, uniform: Callable[[], float]) -> float:
    if rate >= 10:
        return _poisson_by_transformed_rejection(rate, uniform)
    if rate == 0:
        return 0
    # Arrivals until the product of uniforms falls below exp(-rate).
    limit = math.exp(-rate)
    count, product = 0, 1.0
    while True:
        product *= uniform()
        if product <= limit:
            return count
        count += 1


def _poisson_by_transformed_rejection(rate: float, uniform: Callable[[], float]) -> float:
    """Hoermann's PTRS (1993), for rates of 10 and more."""
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + rate + 0.43) if us else -1
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        accepted = _log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b)
        if accepted <= -rate + k * log_rate - math.lgamma(k + 1):
            return k


def _log(x: float) -> float:
    return math.log(x) if x else -math.inf


# --- binomial ---


def binomial(generator: Generator | None, count: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Numbers of successes in `count` trials; both arrays have the same type and broadcast."""
    for name, array in (("count", count), ("prob", probability)):
        if type_name(array.dtype) not in FLOATS:
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: "
                f"{scalar_type_name(array.dtype)}. Convert it to float32"
            )
    if count.dtype != probability.dtype:
        raise RuntimeError(
            f"Found dtype {scalar_type_name(probability.dtype)} but expected "
            f"{scalar_type_name(count.dtype)}: give count and prob the same dtype"
        )
    require_dtype(count.dtype, _SINGLE_AND_DOUBLE, "binomial_cpu")
    trials, chances = np.broadcast_arrays(count, probability)
    values = np.where((chances >= 1) & (trials > 0), trials, 0)
    values[np.isnan(chances) & (trials > 0)] = np.nan
    undecided = (trials > 0) & (chances > 0) & (chances < 1)
    n, p = trials[undecided], chances[undecided]
    mirrored = p > 0.5  # failures are counted instead, so that p is at most one half
    rarer = np.where(mirrored, (1.0 - p.astype(np.float64)).astype(p.dtype), p)
    successes = _binomial_of_rare(chosen(generator), n, rarer)
    values[undecided] = np.where(mirrored, n - successes, successes)
    return values


def _binomial_of_rare(generator: Generator, n: np.ndarray, p: np.ndarray) -> np.ndarray:
    """For n > 0 and 0 < p <= 1/2. What PyTorch computes in the type of p is rounded to it."""
    mean = n * p
    log_failure = np.log1p(-p.astype(np.float64)).astype(p.dtype)
    spread = np.sqrt(mean * (1 - p))
    mode = np.floor((n + 1) * p)
    columns = (n, p, mean, log_failure, spread, p / (1 - p), mode)
    with _Stream(generator, 4 * n.size) as stream:
        values = [
            _binomial_by_transformed_rejection(n, p, mean, spread, odds, mode, stream.uniform)
            if mean >= 10
            else _binomial_by_waiting_times(n, log_failure, stream.uniform)
            for n, p, mean, log_failure, spread, odds, mode in zip(
                *(column.tolist() for column in columns), strict=True
            )
        ]
    return np.array(values, p.dtype)


def _binomial_by_waiting_times(n: float, log_failure: float, uniform: Callable[[], float]) -> int:
    """The waiting times between successes are geometric: count how many fit into n trials."""
    trials, successes = 0.0, 0
    while True:
        u = uniform()
        trials += math.ceil(math.log(u) / log_failure) if u else math.inf
        if trials > n:
            return successes
        successes += 1


def _binomial_by_transformed_rejection(
    n: float,
    p: float,
    mean: float,
    spread: float,
    odds: float,
    mode: float,
    uniform: Callable[[], float],
) -> int:
    """Hoermann's BTRS (1993)."""
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    center = mean + 0.5
    v_r = 0.92 - 4.2 / b
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + center) if us else -1
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= v_r:
            return k
        alpha = (2.83 + 5.1 / b) * spread
        log_ratio = _log(v * alpha / (a / (us * us) + b))
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
            + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            + (_stirling_tail(mode) + _stirling_tail(n - mode))
            - (_stirling_tail(k) + _stirling_tail(n - k))
        )
        if log_ratio <= bound:
            return k


_STIRLING_TAILS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _stirling_tail(k: float) -> float:
    """What Stirling's formula leaves out of log(k!)."""
    if k < len(_STIRLING_TAILS):
        return _STIRLING_TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


# --- gamma ---


def standard_gamma(generator: Generator | None, shape_parameter: np.ndarray) -> np.ndarray:
    """Gamma values of scale one, one for each shape parameter, never below the least normal."""
    dtype = require_dtype(shape_parameter.dtype, _SINGLE_AND_DOUBLE, "gamma_cpu")
    tiny = np.finfo(dtype).tiny
    result = np.full(shape_parameter.shape, tiny, dtype)
    drawn = shape_parameter > 0
    alpha = shape_parameter[drawn]
    # A shape below one is drawn one higher, where acceptance is better, and scaled back.
    boosted = alpha < 1
    with np.errstate(over="ignore"):
        inverse = np.divide(1, alpha, out=np.zeros_like(alpha), where=boosted)
    offset = np.where(boosted, alpha + 1, alpha) - dtype.type(_THIRD)
    with _Stream(chosen(generator), 4 * alpha.size) as stream:
        values = [
            _gamma_one(d, power, stream)
            for d, power in zip(offset.tolist(), inverse.tolist(), strict=True)
        ]
    result[drawn] = np.maximum(np.array(values, np.float64).astype(dtype), tiny)
    return result


def dirichlet(generator: Generator | None, concentration: np.ndarray) -> np.ndarray:
    """Rows that sum to one, drawn with the given concentrations along the last axis."""
    dtype = require_dtype(concentration.dtype, _SINGLE_AND_DOUBLE, "dirichlet")
    gammas = standard_gamma(generator, concentration.astype(np.float64))
    shares = (gammas / gammas.sum(axis=-1, keepdims=True)).astype(dtype)
    largest = np.nextafter(dtype.type(1), dtype.type(0))
    return np.clip(shares, np.finfo(dtype).tiny, largest)


_THIRD = np.float32(1) / np.float32(3)
_SQUEEZE = float(np.float32(0.0331))


def _gamma_one(d: float, power: float, stream: _Stream) -> float:
    """Marsaglia and Tsang (2000), for the shape d + 1/3; `power` scales back a boosted shape."""
    scale = math.pow(1.0 - stream.uniform(), power) if power else 1.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = stream.normal()
        y = 1.0 + c * x
        while y <= 0:
            x = stream.normal()
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - stream.uniform()
        square = x * x
        if u < 1.0 - _SQUEEZE * square * square:
            return scale * d * v
        if math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return scale * d * v
