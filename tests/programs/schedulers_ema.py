"""Schedulers, gradient accumulation, an averaged copy of the model, early stopping."""

import copy

import torch
from torch import nn
from torch.optim import lr_scheduler
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn


def data(n=96):
    x = torch.rand(n, 2) * 4 - 2
    return x, torch.sin(x[:, :1]) * torch.cos(x[:, 1:])


def make():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 24), nn.SiLU(), nn.Linear(24, 1))


SCHEDULERS = {
    "onecycle": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.05, total_steps=40),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=40),
    "restarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, T_0=10, T_mult=2),
    "warmup": lambda o: lr_scheduler.SequentialLR(
        o,
        [lr_scheduler.LinearLR(o, 0.1, total_iters=5), lr_scheduler.ExponentialLR(o, 0.95)],
        milestones=[5],
    ),
    "lambda": lambda o: lr_scheduler.LambdaLR(o, lambda epoch: 0.97**epoch),
    "multistep": lambda o: lr_scheduler.MultiStepLR(o, milestones=[15, 30], gamma=0.3),
}
torch.manual_seed(1)
x, y = data()
for name, build in SCHEDULERS.items():
    model = make()
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    scheduler = build(optimizer)
    for step in range(40):
        optimizer.zero_grad()
        for part in range(2):
            loss = nn.functional.huber_loss(model(x[part::2]), y[part::2]) / 2
            loss.backward()
        optimizer.step()
        scheduler.step()
        ema.update_parameters(model)
    with torch.no_grad():
        own = nn.functional.mse_loss(model(x), y).item()
        averaged = nn.functional.mse_loss(ema(x), y).item()
    print(f"{name}: lr {scheduler.get_last_lr()[0]:.6f} loss {own:.6f} averaged {averaged:.6f}")

model = make()
optimizer = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
plateau = lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2)
swa_model, swa = AveragedModel(model), SWALR(optimizer, swa_lr=0.05, anneal_epochs=3)
best, best_state = float("inf"), None
for epoch in range(40):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch < 25:
        plateau.step(loss.item())
    else:
        swa_model.update_parameters(model)
        swa.step()
    if loss.item() < best:
        best, best_state = loss.item(), copy.deepcopy(model.state_dict())
    if epoch % 10 == 9:
        print(f"epoch {epoch} lr {optimizer.param_groups[0]['lr']:.5f} loss {loss.item():.6f}")
model.load_state_dict(best_state)
with torch.no_grad():
    print(f"averaged {nn.functional.mse_loss(swa_model(x), y).item():.6f} best {best:.6f}")
