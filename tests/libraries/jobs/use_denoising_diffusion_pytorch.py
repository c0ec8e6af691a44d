"""A small U-Net learns noise, v and an EDM objective, and draws pictures by DDPM and DDIM."""

import json
import random

import torch
from denoising_diffusion_pytorch import (
    ElucidatedDiffusion,
    GaussianDiffusion,
    GaussianDiffusion1D,
    Unet,
    Unet1D,
)  # fmt: skip

torch.manual_seed(0)
pictures, signals = torch.rand(4, 3, 16, 16), torch.rand(4, 2, 32)
sizes = {"dim": 8, "dim_mults": (1, 2), "flash_attn": False}


def train(model, data, steps=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(data)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


printed = {}
for name, steps in {"pred_noise": 6, "pred_v": 3}.items():
    torch.manual_seed(1)
    model = GaussianDiffusion(
        Unet(**sizes), image_size=16, timesteps=6, sampling_timesteps=steps, objective=name
    )
    printed[name] = train(model, pictures)
    printed[f"{name} drawn"] = [float(v) for v in model.sample(batch_size=2).flatten()[::200]]
torch.manual_seed(1)
random.seed(0)
unet = Unet(**sizes, self_condition=True, learned_sinusoidal_cond=True)
edm = ElucidatedDiffusion(unet, image_size=16, num_sample_steps=3)
printed["edm"] = train(edm, pictures)
printed["edm drawn"] = [float(v) for v in edm.sample(batch_size=1).flatten()[::100]]
torch.manual_seed(1)
line = GaussianDiffusion1D(Unet1D(dim=8, dim_mults=(1, 2), channels=2), seq_length=32, timesteps=5)
printed["1d"] = train(line, signals)
printed["1d drawn"] = [float(v) for v in line.sample(batch_size=2).flatten()[::20]]
print(json.dumps(printed))
