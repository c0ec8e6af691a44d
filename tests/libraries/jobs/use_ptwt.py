"""Wavelet transforms in one and two dimensions, packets and continuous ones, with gradients."""

import json

import ptwt
import pywt
import torch

torch.manual_seed(0)
x = torch.randn(2, 64, dtype=torch.float64, requires_grad=True)
parts = ptwt.wavedec(x, pywt.Wavelet("db3"), mode="zero", level=3)
back = ptwt.waverec(parts, pywt.Wavelet("db3"))
image = torch.randn(1, 16, 16, dtype=torch.float64)
flat = ptwt.wavedec2(image, "haar", level=2)
waves, frequencies = ptwt.cwt(x.detach(), torch.arange(1, 6), "cmor1.5-1.0")
packets = ptwt.WaveletPacket(x.detach(), "haar", mode="zero", maxlevel=2)
sum(part.abs().sum() for part in parts).backward()
print(
    json.dumps(
        {
            "parts": [part.detach().flatten()[:6].tolist() for part in parts],
            "back": (back - x).abs().max().item() < 1e-12,
            "flat": flat[0].flatten().tolist(),
            "waves": waves.abs()[:, 0, ::16].flatten().tolist(),
            "packets": packets["ad"].flatten()[:8].tolist(),
            "gradient": x.grad[0, :8].tolist(),
        }
    )
)
