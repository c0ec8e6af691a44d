"""Sounds are resampled, filtered and split into bands, with gradients."""

import json

import julius
import torch

torch.manual_seed(0)
sound = torch.randn(2, 4000, requires_grad=True)
out = {
    "resampled": julius.resample_frac(sound, 4, 3)[0, 100:105],
    "low": julius.lowpass_filter(sound, 0.1)[1, 50:55],
    "high": julius.highpass_filter(sound, 0.2)[0, 50:55],
    "bands": julius.split_bands(sound, 8000, n_bands=3)[:, 0, 10],
    "convolved": julius.fft_conv1d(sound[None], torch.randn(1, 2, 65))[0, 0, :5],
}
sum(part.square().sum() for part in out.values()).backward()
out["gradient"] = sound.grad[0, 48:56]
print(json.dumps({name: part.tolist() for name, part in out.items()}))
