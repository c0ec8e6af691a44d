"""Bayesian optimisation: a Gaussian process is fitted, and acquisitions choose the next points."""

import json
import warnings

import torch
from botorch import fit_gpytorch_mll
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.models import SingleTaskGP
from botorch.models.transforms import Normalize, Standardize
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.test_functions import Branin
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.mlls import ExactMarginalLogLikelihood

warnings.simplefilter("ignore")
torch.manual_seed(0)
problem = Branin(negate=True)
X = draw_sobol_samples(problem.bounds, n=8, q=1, seed=0).squeeze(1).double()
Y = problem(X).unsqueeze(-1)
best = []
for _ in range(2):
    model = SingleTaskGP(
        X, Y, input_transform=Normalize(2, bounds=problem.bounds), outcome_transform=Standardize(1)
    )
    likelihood = ExactMarginalLogLikelihood(model.likelihood, model)
    fit_gpytorch_mll(likelihood)
    chosen, value = optimize_acqf(
        LogExpectedImprovement(model, best_f=Y.max()),
        bounds=problem.bounds,
        q=1,
        num_restarts=2,
        raw_samples=16,
        options={"seed": 0, "maxiter": 20},
    )
    X, Y = torch.cat([X, chosen]), torch.cat([Y, problem(chosen).unsqueeze(-1)])
    best.append([value.item(), Y.max().item()])
sampler = SobolQMCNormalSampler(torch.Size([16]), seed=1)
batch = qLogExpectedImprovement(model, best_f=Y.max(), sampler=sampler)
posterior = model.posterior(torch.tensor([[0.0, 5.0], [9.0, 2.5]], dtype=torch.double))
print(
    json.dumps(
        {
            "first": X[:8].flatten().tolist(),
            "best": best,
            "batch": batch(X[:2].unsqueeze(0)).item(),
            "mean": posterior.mean.flatten().tolist(),
            "variance": posterior.variance.flatten().tolist(),
        }
    )
)
