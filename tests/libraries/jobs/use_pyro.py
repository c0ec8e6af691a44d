"""SVI of a Bayesian regression, NUTS of the eight schools, and a mixture with enumeration."""

import json

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDiagonalNormal
from pyro.nn import PyroModule, PyroSample
from torch.distributions import constraints

pyro.set_rng_seed(0)
x = torch.randn(40, 2)
y = x @ torch.tensor([1.0, -2.0]) + 0.5 + 0.1 * torch.randn(40)


class Regression(PyroModule):
    def __init__(self):
        super().__init__()
        self.linear = PyroModule[torch.nn.Linear](2, 1)
        self.linear.weight = PyroSample(dist.Normal(0.0, 1.0).expand([1, 2]).to_event(2))
        self.linear.bias = PyroSample(dist.Normal(0.0, 5.0).expand([1]).to_event(1))

    def forward(self, x, y=None):
        sigma = pyro.sample("sigma", dist.LogNormal(-1.0, 0.5))
        mean = self.linear(x).squeeze(-1)
        with pyro.plate("data", x.shape[0]):
            pyro.sample("y", dist.Normal(mean, sigma), obs=y)
        return mean


model = Regression()
guide = AutoDiagonalNormal(model)
svi = SVI(model, guide, pyro.optim.ClippedAdam({"lr": 0.05}), Trace_ELBO(num_particles=2))
losses = [svi.step(x, y) for _ in range(15)]
medians = {name: value.flatten().tolist() for name, value in guide.median().items()}
predicted = Predictive(model, guide=guide, num_samples=5)(x[:2])["y"].flatten().tolist()

effects = torch.tensor([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
errors = torch.tensor([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])


def schools():
    mu = pyro.sample("mu", dist.Normal(0.0, 5.0))
    tau = pyro.sample("tau", dist.HalfCauchy(5.0))
    with pyro.plate("schools", 8):
        eta = pyro.sample("eta", dist.Normal(0.0, 1.0))
        pyro.sample("obs", dist.Normal(mu + tau * eta, errors), obs=effects)


pyro.set_rng_seed(1)
torch.set_default_dtype(torch.float64)
effects, errors = effects.double(), errors.double()
chain = MCMC(NUTS(schools, max_tree_depth=4), num_samples=6, warmup_steps=6, disable_progbar=True)
chain.run()
samples = {name: value.flatten().tolist() for name, value in chain.get_samples().items()}
torch.set_default_dtype(torch.float32)

pyro.clear_param_store()
points = torch.cat([torch.randn(20) - 3, torch.randn(20) + 3])


@config_enumerate
def mixture(data):
    weights = pyro.param("weights", torch.tensor([0.4, 0.6]), constraint=constraints.simplex)
    means = pyro.param("means", torch.tensor([-1.0, 1.0]))
    with pyro.plate("data", len(data)):
        which = pyro.sample("which", dist.Categorical(weights))
        pyro.sample("obs", dist.Normal(means[which], 1.0), obs=data)


enumerated = SVI(mixture, lambda data: None, pyro.optim.Adam({"lr": 0.1}),
                 TraceEnum_ELBO(max_plate_nesting=1))  # fmt: skip
mixed = [enumerated.step(points) for _ in range(10)]
print(
    json.dumps(
        {
            "svi": losses,
            "medians": medians,
            "predicted": predicted,
            "nuts": samples,
            "mixture": mixed,
            "means": pyro.param("means").tolist(),
        }
    )
)
