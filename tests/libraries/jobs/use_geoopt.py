"""Parameters on spheres, in Poincare balls and on Stiefel manifolds are optimised there."""

import json

import geoopt
import torch

torch.manual_seed(0)
printed = {}
for manifold in (geoopt.Sphere(), geoopt.PoincareBall(), geoopt.Stiefel()):
    start = torch.randn(4, 3) * 0.1
    point = geoopt.ManifoldParameter(manifold.projx(start), manifold=manifold)
    wanted = manifold.projx(torch.randn(4, 3) * 0.1)
    for kind in (geoopt.optim.RiemannianAdam, geoopt.optim.RiemannianSGD):
        optimizer = kind([point], lr=0.05)
        losses = []
        for _ in range(4):
            loss = (point - wanted).square().sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        printed[f"{manifold.name} {kind.__name__}"] = losses
ball = geoopt.PoincareBall()
x, y = ball.projx(torch.randn(3, 2) * 0.3), ball.projx(torch.randn(3, 2) * 0.3)
printed["distances"] = ball.dist(x, y).tolist()
printed["sums"] = ball.mobius_add(x, y).flatten().tolist()
print(json.dumps(printed))
