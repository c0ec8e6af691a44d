"""A masked autoregressive flow and a spline coupling flow are fitted to two moons and sampled."""

import json

import torch
from nflows import transforms
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.nn.nets import ResidualNet

torch.manual_seed(0)
angles = torch.rand(100) * 3.14159
points = torch.stack([angles.cos(), angles.sin()], 1) + 0.1 * torch.randn(100, 2)


def autoregressive():
    parts = []
    for _ in range(2):
        parts.append(transforms.ReversePermutation(features=2))
        parts.append(transforms.MaskedAffineAutoregressiveTransform(features=2, hidden_features=8))
    return parts


def splines():
    def net(inputs, outputs):
        return ResidualNet(inputs, outputs, hidden_features=8, num_blocks=1)

    return [
        transforms.PiecewiseRationalQuadraticCouplingTransform(
            mask, net, num_bins=4, tails="linear", tail_bound=3.0
        )
        for mask in (torch.tensor([0, 1]), torch.tensor([1, 0]))
    ]


printed = {}
for name, make in (("autoregressive", autoregressive), ("splines", splines)):
    torch.manual_seed(1)
    flow = Flow(transforms.CompositeTransform(make()), StandardNormal(shape=[2]))
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-2)
    losses = []
    for _ in range(6):
        optimizer.zero_grad()
        loss = -flow.log_prob(inputs=points).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    with torch.no_grad():
        printed[name] = losses
        printed[f"{name} samples"] = flow.sample(5).flatten().tolist()
print(json.dumps(printed))
