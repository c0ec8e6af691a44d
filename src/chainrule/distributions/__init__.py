"""Probability distributions: samples, densities, entropies, divergences, with gradients.

`Normal(loc, scale).rsample()` is a differentiable function of its parameters wherever that is
possible (`has_rsample`); gamma, beta and Dirichlet draws too, along their quantiles. Each class is
loaded when first used.

>>> import chainrule as torch
>>> loc = torch.tensor(0.5, requires_grad=True)
>>> kl = torch.distributions.kl_divergence(
...     torch.distributions.Normal(loc, 1.0), torch.distributions.Normal(0.0, 1.0)
... )
>>> kl.backward()
>>> loc.grad
tensor(0.5000)
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from ..tensor.namespaces import LoadedWhenUsed as _LoadedWhenUsed
from ..tensor.namespaces import missing as _missing

HOMES = {
    "Bernoulli": "bernoulli", "Beta": "beta", "Binomial": "binomial", "Categorical": "categorical",
    "Cauchy": "cauchy", "Chi2": "chi2", "ContinuousBernoulli": "continuous_bernoulli",
    "Dirichlet": "dirichlet", "Distribution": "distribution", "Exponential": "exponential",
    "ExponentialFamily": "exp_family", "FisherSnedecor": "fishersnedecor", "Gamma": "gamma",
    "GeneralizedPareto": "generalized_pareto", "Geometric": "geometric", "Gumbel": "gumbel",
    "HalfCauchy": "half_cauchy", "HalfNormal": "half_normal", "Independent": "independent",
    "InverseGamma": "inverse_gamma", "Kumaraswamy": "kumaraswamy", "LKJCholesky": "lkj_cholesky",
    "Laplace": "laplace", "LogNormal": "log_normal", "LogisticNormal": "logistic_normal",
    "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "MixtureSameFamily": "mixture_same_family", "Multinomial": "multinomial",
    "MultivariateNormal": "multivariate_normal", "NegativeBinomial": "negative_binomial",
    "Normal": "normal", "OneHotCategorical": "one_hot_categorical",
    "OneHotCategoricalStraightThrough": "one_hot_categorical", "Pareto": "pareto",
    "Poisson": "poisson", "RelaxedBernoulli": "relaxed_bernoulli",
    "RelaxedOneHotCategorical": "relaxed_categorical", "StudentT": "studentT",
    "TransformedDistribution": "transformed_distribution", "Uniform": "uniform",
    "VonMises": "von_mises", "Weibull": "weibull", "Wishart": "wishart",
    "biject_to": "constraint_registry", "transform_to": "constraint_registry",
    "kl_divergence": "kl", "register_kl": "kl",
    "AbsTransform": "transforms", "AffineTransform": "transforms", "CatTransform": "transforms",
    "ComposeTransform": "transforms", "CorrCholeskyTransform": "transforms",
    "CumulativeDistributionTransform": "transforms", "ExpTransform": "transforms",
    "IndependentTransform": "transforms", "LowerCholeskyTransform": "transforms",
    "PositiveDefiniteTransform": "transforms", "PowerTransform": "transforms",
    "ReshapeTransform": "transforms", "SigmoidTransform": "transforms",
    "SoftmaxTransform": "transforms", "SoftplusTransform": "transforms",
    "StackTransform": "transforms", "StickBreakingTransform": "transforms",
    "TanhTransform": "transforms", "Transform": "transforms", "identity_transform": "transforms",
}  # fmt: skip
_SUBMODULES = {*HOMES.values(), "constraints", "utils"}

__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name in HOMES:
        found = getattr(importlib.import_module(f".{HOMES[name]}", __name__), name)
    elif name in _SUBMODULES:
        found = importlib.import_module(f".{name}", __name__)
    else:
        raise _missing("chainrule.distributions", name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *HOMES, *_SUBMODULES})


sys.modules[__name__].__class__ = _LoadedWhenUsed
