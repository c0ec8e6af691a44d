"""Random ops: draws of `rng` as rows of the table, so that traces and transforms see them.

Draws that fill an existing tensor take it as `x` and replace its values; their derivative with
respect to it is zero. They walk memory in PyTorch's order, so that a transposed tensor gets the
same numbers.
"""

from __future__ import annotations

import numpy as np

from . import rng
from .batching import Front
from .layout import memory_order
from .schema import op
from .shape import inverse_permutation

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- new values ----------------------------------------------------------------------------------


@op(random=True, aten=("rand",))
def draw_uniform(*, shape, dtype, low, high, generator):
    """Uniform values in [low, high)."""
    return rng.uniform(generator, shape, dtype, low, high)


@op(random=True, aten=("randn",))
def draw_normal(*, shape, dtype, mean, std, generator):
    """Normal values."""
    return rng.normal(generator, shape, dtype, mean, std)


@op(random=True, aten=("randint",))
def draw_integers(*, shape, dtype, low, high, generator):
    """Integers in [low, high)."""
    return rng.randint(generator, low, high, shape, dtype)


@op(random=True, aten=("randperm",))
def draw_permutation(*, n, dtype, generator):
    """A random order of 0 ... n-1."""
    return rng.randperm(generator, n, dtype)


@op(random=True, aten=("bernoulli_",))
def draw_mask(*, shape, dtype, p, kept, generator):
    """Zeros with probability p, else `kept`: the noise of dropout."""
    return rng.dropout_mask(generator, shape, dtype, p, kept)


# ---- values that depend on a tensor --------------------------------------------------------------


@op(
    vjp={"p": lambda g: zeroed(g)}, jvp={"p": lambda t: blank(t)},
    random=True, batch="elementwise", node="BernoulliBackward0", aten=("bernoulli",),
)  # fmt: skip
def bernoulli_draw(p, *, generator):
    """Ones with the probability given for each element."""
    return rng.bernoulli_array(generator, p)


@op(nondiff=("x",), random=True, batch="elementwise")
def rrelu_slopes(x, *, low, high, generator):
    """A slope in [low, high) for each x that is not positive, else 1."""
    return rng.rrelu_noise(generator, x, low, high)


@op(
    vjp={"rate": lambda g: zeroed(g)}, jvp={"rate": lambda t: blank(t)},
    random=True, batch="elementwise", node="PoissonBackward0",
)  # fmt: skip
def poisson_draw(rate, *, generator):
    """Poisson counts, one for each rate."""
    return rng.poisson(generator, rate)


@op(nondiff=("count", "p"), random=True, broadcasts=True, promote="none", node="BinomialBackward0")
def binomial_draw(count, p, *, generator):
    """Successes in `count` trials of probability p."""
    count, p = np.broadcast_arrays(count, p)
    return rng.binomial(generator, count, p)


@op(nondiff=("weights",), random=True, batch="loop")
def multinomial_draw(weights, *, count, replacement, generator):
    """Indices of categories drawn with the given weights, one row per row of weights."""
    return rng.multinomial(generator, weights, count, replacement)


@op(
    vjp={"mean": lambda g: zeroed(g), "std": lambda g: zeroed(g)},
    jvp={"mean": lambda t, out_shape: blank(broadcast_to(t, shape=out_shape)),
         "std": lambda t, out_shape: blank(broadcast_to(t, shape=out_shape))},
    random=True, broadcasts=True, promote="none", node="NormalBackward3",
)  # fmt: skip
def normal_draw(mean, std, *, generator):
    """A normal value for each pair of mean and std."""
    return rng.normal_like(generator, mean, std)


@op(
    vjp={"mean": lambda g: zeroed(g)}, jvp={"mean": lambda t: blank(t)},
    random=True, batch="elementwise", node="NormalBackward1",
)  # fmt: skip
def normal_around(mean, *, std, generator):
    """A normal value of one std around each mean."""
    return rng.normal_like(generator, mean, std)


@op(
    vjp={"std": lambda g: zeroed(g)}, jvp={"std": lambda t: blank(t)},
    random=True, batch="elementwise", node="NormalBackward2",
)  # fmt: skip
def normal_of_std(std, *, mean, generator):
    """A normal value around one mean for each std."""
    return rng.normal_like(generator, mean, std)


# ---- filling a tensor ----------------------------------------------------------------------------


def in_memory_order(x, draw):
    """Values drawn in the order in which x's memory is walked, in x's shape."""
    if x.flags.c_contiguous:
        return draw(x.shape)
    order = memory_order(x)
    values = draw(tuple(x.shape[d] for d in order))
    return values.transpose(inverse_permutation(order))


def fills(node):
    """The declaration that all filling draws share."""
    return op(
        vjp={"x": lambda g: zeroed(g)}, jvp={"x": lambda t: blank(t)},
        random=True, batch=Front(), node=node,
    )  # fmt: skip


@fills("UniformBackward0")
def fill_uniform(x, *, low, high, generator):
    """x's shape with uniform values in [low, high)."""
    return in_memory_order(x, lambda shape: rng.uniform(generator, shape, x.dtype, low, high))


@fills("NormalBackward0")
def fill_normal(x, *, mean, std, generator):
    """x's shape with normal values."""
    whole = x.flags.c_contiguous
    return in_memory_order(
        x, lambda shape: rng.normal(generator, shape, x.dtype, mean, std, contiguous=whole)
    )


@fills("LogNormalBackward0")
def fill_log_normal(x, *, mean, std, generator):
    """x's shape with exponentials of normal values."""
    return in_memory_order(x, lambda shape: rng.log_normal(generator, shape, x.dtype, mean, std))


@fills("ExponentialBackward0")
def fill_exponential(x, *, rate, generator):
    """x's shape with exponentially distributed values."""
    return in_memory_order(x, lambda shape: rng.exponential(generator, shape, x.dtype, rate))


@fills("CauchyBackward0")
def fill_cauchy(x, *, median, sigma, generator):
    """x's shape with Cauchy values."""
    return in_memory_order(x, lambda shape: rng.cauchy(generator, shape, x.dtype, median, sigma))


@fills("GeometricBackward0")
def fill_geometric(x, *, p, generator):
    """x's shape with numbers of trials up to the first success."""
    return in_memory_order(x, lambda shape: rng.geometric(generator, shape, x.dtype, p))


@fills("BernoulliBackward2")
def fill_bernoulli(x, *, p, generator):
    """x's shape with ones of probability p, else zeros."""
    return in_memory_order(x, lambda shape: rng.bernoulli(generator, shape, x.dtype, p))


@fills("RandomBackward0")
def fill_integers(x, *, low, high, generator):
    """x's shape with integers in [low, high)."""
    return in_memory_order(x, lambda shape: rng.randint(generator, low, high, shape, x.dtype))


@fills("RandomBackward2")
def fill_full_range(x, *, generator):
    """x's shape with integers over the whole range of its type."""
    return in_memory_order(x, lambda shape: rng.random_full(generator, shape, x.dtype))


@op(
    vjp={"x": lambda g: zeroed(g), "p": lambda g, p_shape: unbroadcast(zeroed(g), p_shape)},
    jvp={"x": lambda t: blank(t),
         "p": lambda t, out_shape: blank(broadcast_to(t, shape=out_shape))},
    random=True, batch=Front(), node="BernoulliBackward1",
)  # fmt: skip
def fill_bernoulli_each(x, p, *, generator):
    """x's shape with ones of the probability given for each element."""
    p = np.broadcast_to(p, x.shape)
    if x.flags.c_contiguous:
        return rng.bernoulli_array(generator, p, x.dtype)
    order = memory_order(x)
    drawn = rng.bernoulli_array(generator, np.ascontiguousarray(p.transpose(order)), x.dtype)
    return drawn.transpose(inverse_permutation(order))
