"""Structural similarity in one scale and several, as losses with gradients."""

import json

import torch
from pytorch_msssim import MS_SSIM, SSIM, ms_ssim, ssim

x = torch.rand(2, 3, 176, 176, generator=torch.manual_seed(0), requires_grad=True)
y = (x.detach() + 0.1 * torch.randn(2, 3, 176, 176, generator=torch.manual_seed(1))).clamp(0, 1)
printed = {}
for name, value in {
    "ssim": ssim(x, y, data_range=1.0), "ms_ssim": ms_ssim(x, y, data_range=1.0),
    "module": SSIM(data_range=1.0, win_sigma=1.0)(x, y), "ms": MS_SSIM(data_range=1.0)(x, y),
}.items():  # fmt: skip
    (gradient,) = torch.autograd.grad(1 - value, x)
    printed[name] = [value.item(), *gradient.flatten()[::40000].tolist()]
print(json.dumps(printed))
