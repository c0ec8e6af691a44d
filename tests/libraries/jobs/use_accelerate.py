"""A loop with `Accelerator`: accumulated gradients, clipping, metrics, saving and resuming."""

import json

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

set_seed(0)
accelerator = Accelerator(gradient_accumulation_steps=2, cpu=True)
inputs = torch.randn(64, 8)
data = TensorDataset(inputs, inputs.sin().sum(1, keepdim=True))
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Dropout(0.1), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=16)
loader = DataLoader(data, batch_size=8, shuffle=True)
model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)

losses, norms = [], []


def epoch():
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                norms.append(accelerator.clip_grad_norm_(model.parameters(), 1.0).item())
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        losses.append(accelerator.gather_for_metrics(loss.detach()).mean().item())


epoch()
accelerator.save_state("state")
epoch()
once = losses[-8:]
accelerator.load_state("state")
epoch()
print(
    json.dumps(
        {
            "losses": losses,
            "norms": norms,
            "rate": schedule.get_last_lr(),
            "resumed": losses[-8:] == once,
            "device": str(accelerator.device),
            "processes": accelerator.num_processes,
        }
    )
)
