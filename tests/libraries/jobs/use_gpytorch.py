"""Exact and variational Gaussian processes are fitted, and predict with their variances."""

import json
import math

import gpytorch
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
train_x = torch.linspace(0, 1, 40)
train_y = torch.sin(train_x * 2 * math.pi) + 0.1 * torch.randn(40)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Variational(gpytorch.models.ApproximateGP):
    def __init__(self, inducing):
        chosen = gpytorch.variational.CholeskyVariationalDistribution(inducing.size(0))
        strategy = gpytorch.variational.VariationalStrategy(
            self, inducing, chosen, learn_inducing_locations=True
        )
        super().__init__(strategy)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit(model, likelihood, objective, steps):
    model.train()
    likelihood.train()
    parameters = [*model.parameters(), *likelihood.parameters()]
    optimizer = torch.optim.Adam(dict.fromkeys(parameters), lr=0.1)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = -objective(model(train_x), train_y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    likelihood.eval()
    return losses


likelihood = gpytorch.likelihoods.GaussianLikelihood()
exact = Exact(train_x, train_y, likelihood)
exact_losses = fit(
    exact, likelihood, gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, exact), 20
)
test_x = torch.linspace(0, 1, 7)
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    prediction = likelihood(exact(test_x))

noise = gpytorch.likelihoods.GaussianLikelihood()
approximate = Variational(torch.linspace(0, 1, 10))
bound = gpytorch.mlls.VariationalELBO(noise, approximate, num_data=40)
variational_losses = fit(approximate, noise, bound, 20)
with torch.no_grad():
    approximated = approximate(test_x)

print(
    json.dumps(
        {
            "exact": exact_losses,
            "mean": prediction.mean.tolist(),
            "variance": prediction.variance.tolist(),
            "elbo": variational_losses,
            "approximate mean": approximated.mean.tolist(),
        }
    )
)
