"""Gamma and Dirichlet draws, and how a draw moves with its parameter.

A draw x with distribution function F(x; a) stays at the same quantile when a changes, so
dx/da = -(dF/da) / (dF/dx). The numerator has no closed form; it is a central difference of the
incomplete gamma or beta function in double precision, taken on the smaller tail, where no digits
cancel: about nine digits are right.
"""

from __future__ import annotations

import numpy as np

from . import rng
from .later import Later
from .schema import op

interrupts = Later(".interrupts", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_TINY = 1e-8  # below, the first term of the series around 0 is exact to rounding


@op(
    vjp={"alpha": lambda g, alpha, out: g * gamma_slope(alpha, out)},
    jvp="same",
    random=True, batch="elementwise", node="StandardGammaBackward0",
)  # fmt: skip
def gamma_draw(alpha, *, generator):
    """Gamma values of scale one, one for each shape parameter."""
    return rng.standard_gamma(generator, alpha)


@op(
    vjp={
        "alpha": lambda g, alpha, out: dirichlet_slope(alpha, out)
        * (g - reduce_sum(g * out, axis=(len(g.shape) - 1,), keepdims=True))
    },
    jvp={
        "alpha": lambda t, alpha, out: t * dirichlet_slope(alpha, out)
        - out
        * reduce_sum(t * dirichlet_slope(alpha, out), axis=(len(out.shape) - 1,), keepdims=True)
    },
    random=True, batch="loop", node="SampleDirichletBackward0",
)  # fmt: skip
def dirichlet_draw(alpha, *, generator):
    """Rows that sum to one, with the concentrations along the last axis."""
    return rng.dirichlet(generator, alpha)


@op(nondiff=("alpha", "x"), broadcasts=True, promote="none")
def gamma_slope(alpha, x):
    """The derivative of a gamma draw x by its shape parameter."""
    interrupts.load("scipy.special")
    import scipy.special as sp

    a, value = _doubles(alpha, x)
    step = _step(a)
    lower = sp.gammainc(a + step, value) - sp.gammainc(a - step, value)
    upper = sp.gammaincc(a - step, value) - sp.gammaincc(a + step, value)
    moved = np.where(value < a, lower, upper) / (2 * step)
    density = np.exp((a - 1) * np.log(value) - value - sp.gammaln(a))
    near_zero = -value / a * (np.log(value) - sp.digamma(a + 1))
    slope = np.where((value < _TINY) | (density == 0), near_zero, -moved / density)
    return slope.astype(x.dtype)


@op(nondiff=("alpha", "x"), batch="loop", promote="none")
def dirichlet_slope(alpha, x):
    """How much of itself a share x gains, relative to what is left, by its own concentration.

    A share is a beta draw of its concentration against the others'. Raising its concentration
    moves it by d and shrinks the others in proportion: this is d / (1 - x).
    """
    interrupts.load("scipy.special")
    import scipy.special as sp

    a, value = _doubles(alpha, x)
    b = a.sum(-1, keepdims=True) - a
    step = _step(a)
    rest = 1 - value
    lower = sp.betainc(a + step, b, value) - sp.betainc(a - step, b, value)
    upper = sp.betainc(b, a - step, rest) - sp.betainc(b, a + step, rest)
    moved = np.where(value * (a + b) < a, lower, upper) / (2 * step)
    density = np.exp((a - 1) * np.log(value) + (b - 1) * np.log1p(-value) - sp.betaln(a, b))
    change = np.log(value) - sp.digamma(a + 1) + sp.digamma(a + b)
    slope = np.where((value < _TINY) | (density == 0), -value / a * change, -moved / density)
    return (slope / rest).astype(x.dtype)


def _doubles(alpha, x):
    return np.broadcast_arrays(np.asarray(alpha, np.float64), np.asarray(x, np.float64))


def _step(a):
    """A difference small beside the scale on which the distribution changes with a."""
    return 1e-5 * np.where(a < 1, a, np.sqrt(a))
