"""A small UNet learns to remove noise, and a DDPM and a DDIM pipeline draw images with it."""

import json

import torch
from diffusers import DDIMScheduler, DDPMPipeline, DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel

torch.manual_seed(0)
model = UNet2DModel(
    sample_size=8,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(8, 16),
    norm_num_groups=4,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
)
noising = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=2, num_training_steps=8)
average = EMAModel(model.parameters(), decay=0.9)
images = torch.rand(4, 1, 8, 8) * 2 - 1
losses = []
for _ in range(4):
    noise = torch.randn_like(images)
    steps = torch.randint(0, 50, (4,))
    loss = torch.nn.functional.mse_loss(
        model(noising.add_noise(images, noise, steps), steps).sample, noise
    )
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad()
    average.step(model.parameters())
    losses.append(loss.item())

one = noising.step(noise, 10, images, generator=torch.Generator().manual_seed(1)).prev_sample
pipeline = DDPMPipeline(model, noising)
pipeline.set_progress_bar_config(disable=True)
drawn = pipeline(
    batch_size=1, num_inference_steps=5, generator=torch.Generator().manual_seed(2),
    output_type="np",
).images  # fmt: skip
implicit = DDIMScheduler(num_train_timesteps=50)
implicit.set_timesteps(5)
sample = torch.randn(1, 1, 8, 8, generator=torch.Generator().manual_seed(3))
with torch.no_grad():
    for step in implicit.timesteps:
        sample = implicit.step(model(sample, step).sample, step, sample).prev_sample
pipeline.save_pretrained("saved")
again = DDPMPipeline.from_pretrained("saved")
print(
    json.dumps(
        {
            "losses": losses,
            "one step": one.flatten()[:16].tolist(),
            "ddpm": drawn.astype(float).ravel().tolist()[:16],
            "ddim": sample.flatten()[:16].tolist(),
            "parameters": sum(p.numel() for p in again.unet.parameters()),
        }
    )
)
