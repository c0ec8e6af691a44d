from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable

import torch
from torch import Tensor, nn


@dataclass
class State:
    model: nn.Module
    optimizer: torch.optim.Optimizer
    step: int = 0
    losses: list[float] = field(default_factory=list)


Callback = Callable[[State], None]


def log(state: State) -> None:
    if state.step % 25 == 0:
        print(f"{state.step:4d} {state.losses[-1]:.4f}")


def fit(state: State, batches: list[tuple[Tensor, Tensor]], callbacks: list[Callback]) -> None:
    for inputs, labels in batches:
        state.optimizer.zero_grad()  #+
        logits = state.model(inputs)
        loss = nn.functional.cross_entropy(logits, labels, label_smoothing=0.05)
        loss.backward()  #!
        state.optimizer.step()  #!
        state.step += 1
        state.losses.append(loss.item())
        for callback in callbacks:
            callback(state)


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(24, 3))
state = State(model, torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True))
batches = []
for _ in range(60):
    y = torch.randint(0, 3, (16,))
    x = 0.4 * torch.randn(16, 1, 9, 9)
    for i, k in enumerate(y.tolist()):
        x[i, 0, 3 * k : 3 * k + 3] += 1
    batches.append((x, y))
fit(state, batches, [log])
