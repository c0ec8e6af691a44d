"""A RealNVP and a neural spline flow are fitted to a target density, and sampled."""

import json

import normflows as nf
import torch

torch.manual_seed(0)
target = nf.distributions.TwoMoons()


def coupling():
    parts = []
    for _ in range(3):
        net = nf.nets.MLP([1, 16, 2], init_zeros=True)
        parts += [nf.flows.AffineCouplingBlock(net), nf.flows.Permute(2, mode="swap")]
    return parts


def splines():
    return [nf.flows.AutoregressiveRationalQuadraticSpline(2, 1, 8), nf.flows.LULinearPermute(2)]


printed = {}
for name, make in (("coupling", coupling), ("splines", splines)):
    torch.manual_seed(0)
    model = nf.NormalizingFlow(nf.distributions.base.DiagGaussian(2), make())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    x = torch.randn(64, 2)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = model.forward_kld(x)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[name] = losses
    drawn, density = model.sample(3)
    printed[f"{name} samples"] = [*drawn.flatten().tolist(), *density.tolist()]
printed["target"] = target.log_prob(torch.randn(4, 2)).tolist()
print(json.dumps(printed))
