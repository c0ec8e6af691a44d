"""Gradients of every sample, their variance, and curvature (KFAC, diagonals) of a network."""

import json

import torch
from backpack import backpack, extend, extensions
from torch import nn

torch.manual_seed(0)
net = extend(nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3)))
loss = extend(nn.CrossEntropyLoss())
images, labels = torch.rand(5, 1, 6, 6), torch.tensor([0, 1, 2, 1, 0])
with backpack(
    extensions.BatchGrad(), extensions.BatchL2Grad(), extensions.Variance(),
    extensions.DiagGGNExact(), extensions.DiagHessian(), extensions.KFAC(),
):  # fmt: skip
    loss(net(images), labels).backward()
printed = {}
for name, p in net.named_parameters():
    printed[name] = [
        p.grad_batch.norm().item(), p.batch_l2.tolist(), p.variance.sum().item(),
        p.diag_ggn_exact.sum().item(), p.diag_h.sum().item(), len(p.kfac),
    ]  # fmt: skip
print(json.dumps(printed))
