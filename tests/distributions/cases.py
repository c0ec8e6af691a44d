"""Distributions with parameters, and all that can be asked of them; recorded with PyTorch.

A case is (class, parameters, values at which densities are asked for). Lists become tensors that
require gradients; other arguments are passed on as they are.
"""

import math

CASES = [
    ("Normal", {"loc": [0.5, -1.0], "scale": [1.5, 0.3]}, [0.2, -0.7]),
    ("Normal", {"loc": [[0.0], [1.0]], "scale": [1.0, 2.0, 3.0]}, [0.1, 0.2, 4.0]),
    ("Uniform", {"low": [0.0, -1.0], "high": [2.0, 3.0]}, [0.5, 2.5]),
    ("Exponential", {"rate": [0.5, 3.0]}, [0.1, 2.0]),
    ("Laplace", {"loc": [0.5, -1.0], "scale": [1.5, 0.3]}, [0.2, -0.7]),
    ("Cauchy", {"loc": [0.5, -1.0], "scale": [1.5, 0.3]}, [0.2, -0.7]),
    ("HalfNormal", {"scale": [1.5, 0.3]}, [0.2, 0.7]),
    ("HalfCauchy", {"scale": [1.5, 0.3]}, [0.2, 0.7]),
    ("LogNormal", {"loc": [0.5, -1.0], "scale": [1.5, 0.3]}, [0.2, 0.7]),
    ("Gumbel", {"loc": [0.5, -1.0], "scale": [1.5, 0.3]}, [0.2, -0.7]),
    ("Weibull", {"scale": [1.5, 0.3], "concentration": [2.0, 3.0]}, [0.2, 0.7]),
    ("Pareto", {"scale": [1.5, 0.3], "alpha": [2.5, 3.0]}, [1.7, 0.7]),
    ("GeneralizedPareto",
     {"loc": [0.0, 1.0, 0.0], "scale": [1.5, 0.3, 1.0], "concentration": [0.2, -0.3, 0.0]},
     [0.5, 1.2, 2.0]),
    ("Gamma", {"concentration": [0.3, 2.0, 30.0], "rate": [1.0, 2.0, 0.5]}, [0.1, 1.0, 50.0]),
    ("Chi2", {"df": [1.0, 5.0]}, [0.3, 4.0]),
    ("InverseGamma", {"concentration": [0.5, 3.0], "rate": [1.0, 2.0]}, [0.4, 2.0]),
    ("Beta", {"concentration1": [0.5, 2.0], "concentration0": [0.7, 5.0]}, [0.3, 0.8]),
    ("Kumaraswamy", {"concentration1": [1.5, 2.0], "concentration0": [1.7, 5.0]}, [0.3, 0.8]),
    ("Dirichlet", {"concentration": [0.5, 2.0, 3.0]}, [0.2, 0.3, 0.5]),
    ("Dirichlet", {"concentration": [[0.5, 0.2], [4.0, 1.0]]}, [[0.9, 0.1], [0.4, 0.6]]),
    ("StudentT", {"df": [0.8, 1.5, 5.0], "loc": [0.0, 1.0, 2.0], "scale": [1.0, 2.0, 0.5]},
     [0.5, -1.0, 2.2]),
    ("FisherSnedecor", {"df1": [1.0, 5.0], "df2": [3.0, 7.0]}, [0.5, 1.2]),
    ("VonMises", {"loc": [0.5, -1.0], "concentration": [0.7, 9.0]}, [0.3, -1.5]),
    ("Poisson", {"rate": [0.5, 12.0]}, [1.0, 9.0]),
    ("Bernoulli", {"probs": [0.2, 0.5, 0.9]}, [1.0, 0.0, 1.0]),
    ("Bernoulli", {"logits": [-1.0, 0.5]}, [1.0, 0.0]),
    ("ContinuousBernoulli", {"probs": [0.2, 0.5, 0.9]}, [0.1, 0.6, 0.9]),
    ("ContinuousBernoulli", {"logits": [-1.0, 0.001]}, [0.1, 0.6]),
    ("Geometric", {"probs": [0.2, 1.0]}, [3.0, 0.0]),
    ("Geometric", {"logits": [-1.0, 0.5]}, [3.0, 1.0]),
    ("Binomial", {"total_count": 5, "probs": [0.2, 0.7]}, [2.0, 5.0]),
    ("Binomial", {"total_count": 5, "logits": [-0.5, 0.0]}, [2.0, 3.0]),
    ("NegativeBinomial", {"total_count": 3.0, "probs": [0.2, 0.7]}, [2.0, 5.0]),
    ("NegativeBinomial", {"total_count": 3.0, "logits": [-0.5, 0.4]}, [2.0, 3.0]),
    ("Categorical", {"probs": [0.1, 0.2, 0.7]}, [2]),
    ("Categorical", {"logits": [[0.1, 2.0, -1.0], [0.0, 0.0, 0.0]]}, [1, 2]),
    ("OneHotCategorical", {"probs": [0.1, 0.2, 0.7]}, [0.0, 1.0, 0.0]),
    ("OneHotCategorical", {"logits": [[0.1, 2.0], [0.0, 0.5]]}, [[0.0, 1.0], [1.0, 0.0]]),
    ("OneHotCategoricalStraightThrough", {"probs": [0.1, 0.2, 0.7]}, [0.0, 1.0, 0.0]),
    ("Multinomial", {"total_count": 4, "probs": [0.1, 0.2, 0.7]}, [1.0, 0.0, 3.0]),
    ("Multinomial", {"total_count": 3, "logits": [[0.1, 2.0], [0.0, 0.5]]},
     [[1.0, 2.0], [3.0, 0.0]]),
    ("RelaxedBernoulli", {"temperature": [0.7], "probs": [0.2, 0.9]}, [0.3, 0.8]),
    ("RelaxedBernoulli", {"temperature": [0.7], "logits": [-1.0, 2.0]}, [0.3, 0.8]),
    ("RelaxedOneHotCategorical", {"temperature": [0.7], "probs": [0.1, 0.2, 0.7]}, [0.2, 0.3, 0.5]),
    ("LogisticNormal", {"loc": [0.1, -0.3], "scale": [1.0, 0.5]}, [0.2, 0.3, 0.5]),
    ("MultivariateNormal",
     {"loc": [0.5, -1.0], "covariance_matrix": [[2.0, 0.3], [0.3, 1.0]]}, [0.1, 0.2]),
    ("MultivariateNormal",
     {"loc": [[0.5, -1.0], [0.0, 1.0]], "scale_tril": [[1.5, 0.0], [0.3, 0.7]]},
     [[0.1, 0.2], [1.0, 2.0]]),
    ("MultivariateNormal",
     {"loc": [0.5, -1.0], "precision_matrix": [[2.0, 0.3], [0.3, 1.0]]}, [0.1, 0.2]),
    ("LowRankMultivariateNormal",
     {"loc": [0.5, -1.0, 0.0], "cov_factor": [[1.0], [0.5], [-0.3]], "cov_diag": [0.5, 1.0, 2.0]},
     [0.1, 0.2, 0.3]),
    ("Wishart", {"df": 4.0, "covariance_matrix": [[2.0, 0.3], [0.3, 1.0]]},
     [[3.0, 0.5], [0.5, 2.0]]),
    ("LKJCholesky", {"dim": 3, "concentration": [0.8]},
     [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]]),
]  # fmt: skip

PROPERTIES = ("mean", "variance", "stddev", "mode")
# PyTorch tests a fresh sample for being regular and throws it away when it is: another stream.
OWN_STREAM = {"Wishart"}


# PyTorch's class knows float32 only.
SINGLE = {"GeneralizedPareto"}


def label(case):
    name, params, _ = case
    shape = "x".join(str(len(v)) for v in params.values() if isinstance(v, list))
    return f"{name}-{'-'.join(params)}-{shape}"


def tensors(torch, params, dtype):
    """The parameters as tensors that require gradients."""
    return {
        k: torch.tensor(v, dtype=dtype).requires_grad_() if isinstance(v, list) else v
        for k, v in params.items()
    }


def made(torch, case, dtype):
    name, params, _ = case
    given = tensors(torch, params, dtype)
    return getattr(torch.distributions, name)(**given), [
        t for t in given.values() if hasattr(t, "grad")
    ]


def numbers(t):
    return t.detach().double().flatten().tolist()


def slopes(torch, result, wanted):
    """Gradients of a weighted sum, so that no entry hides behind another."""
    weights = torch.linspace(0.5, 1.5, result.numel(), dtype=result.dtype).reshape(result.shape)
    total = (result * weights).sum()  # the graph is kept: lazy properties share it
    found = torch.autograd.grad(total, wanted, allow_unused=True, retain_graph=True)
    return [None if g is None else numbers(g) for g in found]


def attempt(run):
    """What it returns, or the name of the error."""
    try:
        return run()
    except (NotImplementedError, ValueError, RuntimeError) as problem:
        return type(problem).__name__


def about(torch, case):
    """Everything a distribution tells, as plain data."""
    dtype = torch.float32 if case[0] in SINGLE else torch.float64
    dist, wanted = made(torch, case, dtype)
    value = torch.tensor(case[2], dtype=dtype)
    value.requires_grad_(not dist.support.is_discrete)
    found = {
        "repr": repr(dist).replace("chainrule", "torch"),
        "shapes": [list(dist.batch_shape), list(dist.event_shape)],
        "has": [dist.has_rsample, dist.has_enumerate_support],
        "support": repr(dist.support).split("(")[0],
    }
    for name in PROPERTIES:
        found[name] = attempt(lambda name=name: numbers(getattr(dist, name)))
    density = dist.log_prob(value)
    others = [value] if value.requires_grad else []
    found["log_prob"] = numbers(density)
    found["log_prob slopes"] = slopes(torch, density, wanted + others)
    found["entropy"] = attempt(lambda: numbers(dist.entropy()))
    if isinstance(found["entropy"], list) and dist.entropy().requires_grad:
        found["entropy slopes"] = slopes(torch, dist.entropy(), wanted)
    found["cdf"] = attempt(lambda: numbers(dist.cdf(value)))
    if isinstance(found["cdf"], list):
        found["icdf"] = attempt(lambda: numbers(dist.icdf(dist.cdf(value))))
    found["values"] = attempt(lambda: numbers(dist.enumerate_support()))
    found["values, not expanded"] = attempt(lambda: list(dist.enumerate_support(False).shape))
    larger = dist.expand((2, *dist.batch_shape))
    found["expanded"] = [list(larger.batch_shape), numbers(larger.log_prob(value)),
                         list(larger.sample((3,)).shape)]  # fmt: skip
    return found


def drawn(torch, case):
    """Samples from a fixed seed, and how they move with the parameters."""
    found = {}
    for dtype in (torch.float32, torch.float64)[: 1 if case[0] in SINGLE else 2]:
        dist, wanted = made(torch, case, dtype)
        torch.manual_seed(7)
        found[str(dtype)[-7:]] = [numbers(dist.sample()), numbers(dist.sample((5,)))]
        if dist.has_rsample:
            moved = dist.rsample((2,))
            found[f"rsample {str(dtype)[-7:]}"] = [numbers(moved), slopes(torch, moved, wanted)]
    return found


def rounded(value):
    if isinstance(value, list):
        return [rounded(v) for v in value]
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, float) and math.isfinite(value):
        return float(f"{value:.10g}")
    return value


KL_FAMILIES = {
    "Normal": {"loc": [0.5, -1.0], "scale": [1.5, 0.3]},
    "Uniform": {"low": [0.1, 0.2], "high": [0.7, 0.9]},
    "Exponential": {"rate": [0.5, 3.0]},
    "Laplace": {"loc": [0.2, -1.0], "scale": [1.2, 0.5]},
    "Cauchy": {"loc": [0.2, -1.0], "scale": [1.2, 0.5]},
    "HalfNormal": {"scale": [1.2, 0.5]},
    "LogNormal": {"loc": [0.2, -1.0], "scale": [1.2, 0.5]},
    "Gumbel": {"loc": [0.2, -1.0], "scale": [1.2, 0.5]},
    "Pareto": {"scale": [0.05, 0.15], "alpha": [2.5, 3.0]},
    "Gamma": {"concentration": [0.7, 2.0], "rate": [1.0, 2.0]},
    "Chi2": {"df": [3.0, 2.0]},
    "Beta": {"concentration1": [0.7, 2.0], "concentration0": [1.0, 2.0]},
    "ContinuousBernoulli": {"probs": [0.2, 0.7]},
    "Poisson": {"rate": [0.5, 3.0]},
    "Bernoulli": {"probs": [0.2, 0.7]},
    "Binomial": {"total_count": 4, "probs": [0.2, 0.7]},
    "Geometric": {"probs": [0.2, 0.7]},
    "Categorical": {"probs": [[0.2, 0.8], [0.5, 0.5]]},
    "OneHotCategorical": {"logits": [[0.2, 0.8], [0.5, -0.5]]},
    "Dirichlet": {"concentration": [[0.7, 2.0], [3.0, 1.0]]},
    "MultivariateNormal": {"loc": [0.5, -1.0], "covariance_matrix": [[2.0, 0.3], [0.3, 1.0]]},
    "LowRankMultivariateNormal":
        {"loc": [0.2, 0.0], "cov_factor": [[1.0], [0.5]], "cov_diag": [0.5, 1.0]},
}  # fmt: skip
# PyTorch's condition for these is the wrong way round: infinite wherever p lies inside q.
KL_MISTAKEN = {"ContinuousBernoulli Uniform", "Uniform ContinuousBernoulli"}


def divergences(torch):
    """KL(p || q) and its gradients for every pair of families."""
    found = {}
    for first, given in KL_FAMILIES.items():
        for second, other in KL_FAMILIES.items():
            p, ps = made(torch, (first, given, None), torch.float64)
            if first == second:
                other = {k: [_moved(x) for x in v] if isinstance(v, list) else v
                         for k, v in other.items()}  # fmt: skip
            q, qs = made(torch, (second, other, None), torch.float64)
            key = f"{first} {second}"
            result = attempt(lambda p=p, q=q: torch.distributions.kl_divergence(p, q))
            if not isinstance(result, str):
                finite = bool(torch.isfinite(result).all()) and result.requires_grad
                found[key] = [numbers(result), slopes(torch, result, ps + qs) if finite else None]
    return found


def _moved(x):
    """Other parameters of the same kind: a little larger, rows of matrices as they are."""
    return x if isinstance(x, list) else x * 1.1
