"""Kullback-Leibler divergences: KL(p || q) = E_p[log p - log q].

Pairs of one family have a formula each. For two families the divergence is put together from what
p knows, -entropy(p) - E_p[log q], where E_p[log q] needs only a few expectations of p: its mean and
variance for a normal q, E[log x] for a gamma or beta q, E[exp(-x/s)] for a Gumbel q. A pair whose p
reaches where q has no density is infinite; those stand in a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import chainrule as torch
from chainrule.autograd.accidents import explain_module
from chainrule.nn import functional as F

from ..autograd import refusal
from ..autograd.source import warn_user
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, log_diagonal, mahalanobis
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import euler_constant, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}
_KL_REGISTRY = _REGISTRY  # PyTorch's name
_FOUND: dict[tuple[type, type], Any] = {}  # for the classes asked for, subclasses included


def register_kl(type_p: Any, type_q: Any) -> Callable[[Any], Any]:
    """Decorates a function of (p, q) that computes KL(p || q) for these classes and their
    subclasses."""
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        # Any class, as in PyTorch: libraries register bases of their own that theirs share.
        if not isinstance(kind, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def register(function: Any) -> Any:
        _REGISTRY[type_p, type_q] = function
        _FOUND.clear()
        return function

    return register


_WAYS_OUT = (
    "estimate it from samples of p, (p.log_prob(x) - q.log_prob(x)).mean(), or register it "
    "with register_kl."
)


def kl_divergence(p: Any, q: Any) -> Any:
    """KL(p || q), one number for each of the batch.

    >>> from chainrule.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0))
    tensor(0.5000)
    """
    key = type(p), type(q)
    if key not in _FOUND:
        _FOUND[key] = _nearest(*key)
    function = _FOUND[key]
    if function is None:
        raise refusal.not_implemented(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type "
            f"{type(q).__name__}",
            fix=_WAYS_OUT,
        )
    return function(p, q)


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The function for two classes; NotImplemented where there is none. PyTorch's name."""
    found = _nearest(type_p, type_q)
    return NotImplemented if found is None else found


def _nearest(type_p: type, type_q: type) -> Any:
    """The function registered for the nearest base classes, p's looked at first."""
    rank_p = {c: k for k, c in enumerate(type_p.__mro__)}
    rank_q = {c: k for k, c in enumerate(type_q.__mro__)}
    fitting = [pair for pair in _REGISTRY if pair[0] in rank_p and pair[1] in rank_q]
    if not fitting:
        return None
    by_p = min(fitting, key=lambda pair: (rank_p[pair[0]], rank_q[pair[1]]))
    by_q = min(fitting, key=lambda pair: (rank_q[pair[1]], rank_p[pair[0]]))
    if _REGISTRY[by_p] is not _REGISTRY[by_q]:
        warn_user(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
            f"register_kl({by_p[0].__name__}, {by_q[1].__name__})",
            RuntimeWarning,
        )
    return _REGISTRY[by_p]


# ---- two of a family -----------------------------------------------------------------------------


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    yes = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    yes = yes.masked_fill(q.probs == 0, torch.inf).masked_fill(p.probs == 0, 0)
    no = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    no = no.masked_fill(q.probs == 1, torch.inf).masked_fill(p.probs == 1, 0)
    return yes + no


def _log_beta(q: Any) -> Any:
    total = q.concentration1 + q.concentration0
    return q.concentration1.lgamma() + q.concentration0.lgamma() - total.lgamma()


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    total_p, total_q = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    moved = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    moved = moved + (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return _log_beta(q) - _log_beta(p) + moved + (total_q - total_p) * total_p.digamma()


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError(
            "KL between Binomials where q.total_count > p.total_count is not implemented"
        )
    one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * one).masked_fill(p.total_count > q.total_count, torch.inf)


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill((q.probs == 0).expand_as(terms), torch.inf)
    return terms.masked_fill((p.probs == 0).expand_as(terms), 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    norms = p._cont_bern_log_norm() - q._cont_bern_log_norm()
    return p.mean * (p.logits - q.logits) + norms + torch.log1p(-p.probs) - torch.log1p(-q.probs)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    norms = a.sum(-1).lgamma() - b.sum(-1).lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    return norms + ((a - b) * (a.digamma() - a.sum(-1, True).digamma())).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Any:
    """The Bregman divergence of the log normaliser."""
    if type(p) is not type(q):
        raise refusal.not_implemented(
            "The cross KL-divergence between different exponential families cannot be computed "
            f"using Bregman divergences: {type(p).__name__} and {type(q).__name__}",
            fix=_WAYS_OUT,
        )
    ours = [n.detach().requires_grad_() for n in p._natural_params]
    normaliser = p._log_normalizer(*ours)
    means = torch.autograd.grad(normaliser.sum(), ours, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normaliser
    for mine, theirs, mean in zip(ours, q._natural_params, means, strict=True):
        result = result - sum_rightmost((theirs - mine) * mean, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    norms = b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma()
    return norms + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, away = p.scale / q.scale, (p.loc - q.loc) / q.scale
    surprise = torch.exp((1 + ratio).lgamma() - away)
    return -ratio.log() + away + ratio * euler_constant + surprise - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, away = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + away / q.scale + ratio * torch.exp(-away / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    spread = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return spread.log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.scale < q.scale, torch.inf)


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), torch.inf)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("KL of transformed distributions needs equal transforms")
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError("KL of Independent distributions needs equal event dimensions")
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# ---- multivariate normals ------------------------------------------------------------------------


def _log_determinant(d: Any) -> Any:
    if isinstance(d, LowRankMultivariateNormal):
        return d.log_determinant()
    return 2 * log_diagonal(d._unbroadcasted_scale_tril)


def _distance(d: Any, x: Any) -> Any:
    if isinstance(d, LowRankMultivariateNormal):
        return d.distance(x)
    return mahalanobis(d._unbroadcasted_scale_tril, x)


def _parts(d: Any) -> list[Any]:
    """Matrices whose squares add up to the covariance."""
    if isinstance(d, LowRankMultivariateNormal):
        root = torch.diag_embed(d._unbroadcasted_cov_diag.sqrt())
        return [d._unbroadcasted_cov_factor, root]
    return [d._unbroadcasted_scale_tril]


def _trace(q: Any, part: Any) -> Any:
    """trace(covariance(q)^-1 part part^T)."""
    if not isinstance(q, LowRankMultivariateNormal):
        factor = q._unbroadcasted_scale_tril
        batch = torch.broadcast_shapes(factor.shape[:-2], part.shape[:-2])
        factor, part = factor.expand(*batch, -1, -1), part.expand(*batch, -1, -1)
        return torch.linalg.solve_triangular(factor, part, upper=False).pow(2).sum((-2, -1))
    d = q._unbroadcasted_cov_diag
    direct = (part * d.rsqrt().unsqueeze(-1)).pow(2).sum((-2, -1))
    seen = (q._unbroadcasted_cov_factor.mT / d.unsqueeze(-2)) @ part
    batch = torch.broadcast_shapes(q._capacitance_tril.shape[:-2], seen.shape[:-2])
    factor = q._capacitance_tril.expand(*batch, -1, -1)
    solved = torch.linalg.solve_triangular(factor, seen.expand(*batch, -1, -1), upper=False)
    return direct - solved.pow(2).sum((-2, -1))


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Any:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with different event shapes cannot be "
            f"computed: {tuple(p.event_shape)} and {tuple(q.event_shape)}"
        )
    trace = sum(_trace(q, part) for part in _parts(p))
    norms = _log_determinant(q) - _log_determinant(p)
    return 0.5 * (norms + trace + _distance(q, q.loc - p.loc) - p.event_shape[0])


# ---- two families: -entropy(p) - E_p[log q] ------------------------------------------------------


def _uniform_x_log_x(low: Any, high: Any) -> Any:
    width = high - low
    return (torch.xlogy(high, high) - torch.xlogy(low, low) - width) / width


_MEAN_LOG: dict[type, Callable[[Any], Any]] = {
    Beta: lambda p: p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma(),
    Exponential: lambda p: -p.rate.log() - euler_constant,
    Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
    Uniform: lambda p: _uniform_x_log_x(p.low, p.high),
}
_MEAN_EXP: dict[type, Callable[[Any, Any], Any]] = {  # E[exp(-x / s)]
    Normal: lambda p, s: torch.exp(-p.loc / s + 0.5 * (p.scale / s).pow(2)),
    Exponential: lambda p, s: p.rate * s / (p.rate * s + 1),
    Gamma: lambda p, s: (1 + (p.rate * s).reciprocal()).pow(-p.concentration),
    Uniform: lambda p, s: s / (p.high - p.low) * (torch.exp(-p.low / s) - torch.exp(-p.high / s)),
}


def _of(table: dict[type, Any], p: Any) -> Any:
    return next(function for kind, function in table.items() if isinstance(p, kind))


def _inside(p: Any, q: Any, result: Any) -> Any:
    """The result, infinite where p has mass outside of q's support."""
    region = q.support
    outside = torch.zeros_like(result, dtype=torch.bool)
    if isinstance(p, Uniform):
        low, high = p.low, p.high
    else:
        low, high = p.support.lower_bound, getattr(p.support, "upper_bound", torch.inf)
    if hasattr(region, "lower_bound"):
        outside = outside | (torch.as_tensor(low) < region.lower_bound)
    if hasattr(region, "upper_bound"):
        outside = outside | (torch.as_tensor(high) > region.upper_bound)
    return result.masked_fill(outside, torch.inf)


def _crossed(*kinds: type) -> Callable[[Any], Any]:
    """Register -E_p[log q] for several p and the one q of its name."""

    def register(function: Any) -> Any:
        def kl(p: Any, q: Any) -> Any:
            return -p.entropy() + function(p, q)

        for kind in kinds:
            register_kl(kind, function.q)(kl)
        return function

    return register


def _for(q: type) -> Callable[[Any], Any]:
    def mark(function: Any) -> Any:
        function.q = q
        return function

    return mark


@_crossed(Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform)
@_for(Normal)
def _against_normal(p: Any, q: Any) -> Any:
    away = p.variance + (p.mean - q.loc).pow(2)
    return 0.5 * math.log(2 * math.pi) + q.scale.log() + away / (2 * q.scale.pow(2))


@_crossed(Beta, ContinuousBernoulli, Gamma, Pareto, Uniform)
@_for(Exponential)
def _against_exponential(p: Any, q: Any) -> Any:
    found = q.rate * p.mean - q.rate.log()
    return _inside(p, q, found) if isinstance(p, Uniform) else found


@_crossed(Beta, Exponential, Pareto, Uniform)
@_for(Gamma)
def _against_gamma(p: Any, q: Any) -> Any:
    a, log_x = q.concentration, _of(_MEAN_LOG, p)(p)
    found = a.lgamma() - a * q.rate.log() - (a - 1) * log_x + q.rate * p.mean
    return _inside(p, q, found) if isinstance(p, Uniform) else found


@_crossed(Exponential, Gamma, Normal, Uniform)
@_for(Gumbel)
def _against_gumbel(p: Any, q: Any) -> Any:
    surprise = torch.exp(q.loc / q.scale) * _of(_MEAN_EXP, p)(p, q.scale)
    return q.scale.log() + (p.mean - q.loc) / q.scale + surprise


@_crossed(Beta)
@_for(Uniform)
def _against_uniform(p: Any, q: Any) -> Any:
    return _inside(p, q, (q.high - q.low).log())


@_crossed(Beta)
@_for(ContinuousBernoulli)
def _against_continuous_bernoulli(p: Any, q: Any) -> Any:
    return -p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@_crossed(Uniform)
@_for(Beta)
def _against_beta(p: Any, q: Any) -> Any:
    log_x, log_rest = _uniform_x_log_x(p.low, p.high), _uniform_x_log_x(1 - p.high, 1 - p.low)
    powers = (q.concentration1 - 1) * log_x + (q.concentration0 - 1) * log_rest
    return _inside(p, q, _log_beta(q) - powers)


@_crossed(Uniform)
@_for(Pareto)
def _against_pareto(p: Any, q: Any) -> Any:
    log_x = _uniform_x_log_x(p.low, p.high)
    found = (q.alpha + 1) * log_x - q.alpha.log() - q.alpha * q.scale.log()
    return found.masked_fill(p.low < q.scale, torch.inf)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    away = p.loc - q.loc
    z = away / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2))
    mean_distance = spread + away * torch.erf(math.sqrt(0.5) * z)
    return -p.entropy() + (2 * q.scale).log() + mean_distance / q.scale


# PyTorch's two formulas with these pairs, whose conditions are the wrong way round, give infinity
# wherever p is inside q; here the divergence is the true one.


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: Any, q: Any) -> Any:
    return _inside(p, q, -p.entropy() + (q.high - q.low).log())


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Any, q: Any) -> Any:
    return _inside(p, q, -p.entropy() + _against_continuous_bernoulli(p, q))


# ---- p reaches where q has no density ------------------------------------------------------------

_INFINITE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gamma: ("concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gumbel: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Laplace: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Normal: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}


def _infinite(parameter: str) -> Callable[[Any, Any], Any]:
    return lambda p, q: torch.full_like(getattr(p, parameter), torch.inf)


for _p, (_parameter, _targets) in _INFINITE.items():
    for _q in _targets:
        register_kl(_p, _q)(_infinite(_parameter))


explain_module(globals(), "kl_divergence")
