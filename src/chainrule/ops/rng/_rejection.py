"""Draws that take as many words as chance decides: Poisson, binomial, gamma, Dirichlet.

Each value needs the place in the stream where the one before it stopped, so they are made one by
one, from uniforms that are generated ahead in bulk; what is left over goes back to the stream.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from ._checks import FLOATS, cast_from_double, chosen, require_dtype, scalar_type_name
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
        if array.dtype.name not in FLOATS:
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: "
                f"{scalar_type_name(array.dtype)}. Convert it to float32"
            )
    if count.dtype != probability.dtype:
        raise RuntimeError(
            f"Found dtype {scalar_type_name(probability.dtype)} but expected "
            f"{scalar_type_name(count.dtype)}: give count and prob the same dtype"
        )
    dtype = require_dtype(count.dtype, _SINGLE_AND_DOUBLE, "binomial_cpu")
    trials, chances = np.broadcast_arrays(count, probability)
    with _Stream(chosen(generator), 4 * trials.size) as stream:
        values = [
            _binomial_one(n, p, stream.uniform)
            for n, p in zip(trials.ravel(), chances.ravel(), strict=True)
        ]
    return np.array(values, dtype).reshape(trials.shape)


def _binomial_one(n: Any, p: Any, uniform: Callable[[], float]) -> float:
    """`n` and `p` are NumPy scalars: what PyTorch computes in float32 is rounded to it here."""
    if n <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return float(n)
    if not math.isfinite(p):
        return math.nan
    if p <= 0.5:
        return _binomial_at_most_half(n, p, uniform)
    return float(n) - _binomial_at_most_half(n, type(p)(1.0 - float(p)), uniform)


def _binomial_at_most_half(n: Any, p: Any, uniform: Callable[[], float]) -> float:
    if n * p >= 10:
        return _binomial_by_transformed_rejection(n, p, uniform)
    # The waiting times between successes are geometric: count how many fit into n trials.
    log_failure = float(type(p)(math.log1p(-float(p))))
    trials, successes = 0.0, 0
    while True:
        u = uniform()
        trials += math.ceil(_log(u) / log_failure) if u else math.inf
        if trials > n:
            return successes
        successes += 1


def _binomial_by_transformed_rejection(n: Any, p: Any, uniform: Callable[[], float]) -> float:
    """Hoermann's BTRS (1993), with its constants rounded where PyTorch rounds them."""
    one = type(p)(1)
    spread = float(np.sqrt(n * p * (one - p)))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    center = float(n * p) + 0.5
    v_r = 0.92 - 4.2 / b
    odds = float(p / (one - p))
    alpha = (2.83 + 5.1 / b) * spread
    mode = float(np.floor((n + one) * p))
    n = float(n)
    at_mode = (mode + 0.5) * math.log((mode + 1) / (odds * (n - mode + 1)))
    at_mode += _stirling_tail(mode) + _stirling_tail(n - mode)
    while True:
        u = uniform() - 0.5
        v = uniform()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + center) if us else -1
        if k < 0 or k > n:
            continue
        if us >= 0.07 and v <= v_r:
            return k
        log_ratio = _log(v * alpha / (a / (us * us) + b))
        bound = (
            at_mode
            + (n + 1) * math.log((n - mode + 1) / (n - k + 1))
            + (k + 0.5) * math.log(odds * (n - k + 1) / (k + 1))
            - _stirling_tail(k)
            - _stirling_tail(n - k)
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
    flat = shape_parameter.ravel()
    with _Stream(chosen(generator), 4 * flat.size) as stream:
        values = [_gamma_one(alpha, stream) for alpha in flat]
    result = np.array(values, np.float64).astype(dtype)
    tiny = np.finfo(dtype).tiny
    return np.where(result > tiny, result, tiny).reshape(shape_parameter.shape)


def dirichlet(generator: Generator | None, concentration: np.ndarray) -> np.ndarray:
    """Rows that sum to one, drawn with the given concentrations along the last axis."""
    dtype = require_dtype(concentration.dtype, _SINGLE_AND_DOUBLE, "dirichlet")
    gammas = standard_gamma(generator, concentration.astype(np.float64))
    shares = (gammas / gammas.sum(axis=-1, keepdims=True)).astype(dtype)
    largest = np.nextafter(dtype.type(1), dtype.type(0))
    return np.clip(shares, np.finfo(dtype).tiny, largest)


_THIRD = np.float32(1) / np.float32(3)
_SQUEEZE = float(np.float32(0.0331))


def _gamma_one(alpha: Any, stream: _Stream) -> float:
    """Marsaglia and Tsang (2000); `alpha` is a NumPy scalar, so that float32 rounds as such."""
    if not alpha > 0:
        return math.nan if alpha else 0.0
    one = type(alpha)(1)
    scale = 1.0
    if alpha < 1:
        # A smaller shape is drawn one higher, where acceptance is better, and scaled back.
        scale = math.pow(1.0 - stream.uniform(), float(one / alpha))
        alpha = alpha + one
    d = float(alpha - type(alpha)(_THIRD))
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
