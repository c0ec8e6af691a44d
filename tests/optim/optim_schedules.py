"""Learning rate schedules, as run by PyTorch (recorded) and by chainrule (tested)."""

from __future__ import annotations

import math
import warnings
from typing import Any

STEPS = 30
METRICS = [1.0, 0.9, 0.8, 0.8, 0.8, 0.79999, 0.8, 0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.9, 0.6] * 2


def _slower(epoch: int) -> float:
    return 0.95**epoch


def _other(epoch: int) -> float:
    return 1 / (1 + epoch)


def _hill(x: float) -> float:
    return 0.5 * (1 + math.sin(x * math.pi / 2.0))


# key -> (class, positional, keyword)
SIMPLE: dict[str, tuple[str, tuple, dict[str, Any]]] = {
    "lambda": ("LambdaLR", (_slower,), {}),
    "lambda-two": ("LambdaLR", ([_slower, _other],), {}),
    "multiplicative": ("MultiplicativeLR", (_slower,), {}),
    "multiplicative-two": ("MultiplicativeLR", ([_slower, _other],), {}),
    "step": ("StepLR", (4,), {}),
    "step-gamma": ("StepLR", (7,), {"gamma": 0.5}),
    "multistep": ("MultiStepLR", ([3, 8, 8, 20],), {"gamma": 0.3}),
    "multistep-unsorted": ("MultiStepLR", ([20, 5],), {}),
    "constant": ("ConstantLR", (), {}),
    "constant-long": ("ConstantLR", (), {"factor": 0.5, "total_iters": 12}),
    "linear": ("LinearLR", (), {}),
    "linear-down": ("LinearLR", (), {"start_factor": 1.0, "end_factor": 0.1, "total_iters": 20}),
    "exponential": ("ExponentialLR", (0.9,), {}),
    "exponential-slow": ("ExponentialLR", (), {"gamma": 0.99}),
    "polynomial": ("PolynomialLR", (), {}),
    "polynomial-square": ("PolynomialLR", (), {"total_iters": 20, "power": 2.0}),
    "cosine": ("CosineAnnealingLR", (10,), {}),
    "cosine-min": ("CosineAnnealingLR", (), {"T_max": 7, "eta_min": 0.01}),
    "restarts": ("CosineAnnealingWarmRestarts", (5,), {}),
    "restarts-growing": ("CosineAnnealingWarmRestarts", (3,), {"T_mult": 2, "eta_min": 0.001}),
    "cyclic": ("CyclicLR", (0.01, 0.1), {"step_size_up": 5}),
    "cyclic-2": (
        "CyclicLR", (0.01, [0.1, 0.3]),
        {"step_size_up": 3, "step_size_down": 4, "mode": "triangular2"},
    ),
    "cyclic-exp": (
        "CyclicLR", (0.01, 0.1),
        {"step_size_up": 4, "mode": "exp_range", "gamma": 0.9, "base_momentum": 0.7},
    ),
    "cyclic-custom": (
        "CyclicLR", (0.01, 0.1),
        {"step_size_up": 4, "scale_fn": _hill, "scale_mode": "iterations", "cycle_momentum": False},
    ),
    "onecycle": ("OneCycleLR", (0.5,), {"total_steps": 31}),
    "onecycle-linear": (
        "OneCycleLR", ([0.5, 0.3],),
        {"epochs": 8, "steps_per_epoch": 4, "anneal_strategy": "linear", "pct_start": 0.4},
    ),
    "onecycle-three": (
        "OneCycleLR", (0.5,),
        {"total_steps": 33, "three_phase": True, "div_factor": 10.0, "final_div_factor": 100.0},
    ),
    "onecycle-plain": ("OneCycleLR", (0.5,), {"total_steps": 31, "cycle_momentum": False}),
}  # fmt: skip
PLATEAU: dict[str, dict[str, Any]] = {
    "plateau": {"patience": 2},
    "plateau-max": {"mode": "max", "factor": 0.5, "patience": 3, "cooldown": 2},
    "plateau-abs": {"threshold_mode": "abs", "threshold": 0.05, "patience": 1, "min_lr": 0.01},
    "plateau-mins": {"patience": 0, "min_lr": [0.05, 0.001], "factor": 0.3},
    "plateau-max-abs": {"mode": "max", "threshold_mode": "abs", "patience": 2},
}
# Which of the simple ones are also stepped to an epoch, where they have a closed form.
CLOSED = (
    "step", "multistep", "constant", "linear", "exponential", "polynomial", "cosine-min", "lambda",
)  # fmt: skip
SWA = {
    "swa": {"anneal_epochs": 5},
    "swa-linear": {"anneal_epochs": 8, "anneal_strategy": "linear"},
    "swa-at-once": {"anneal_epochs": 0},
}


def make_optimizer(torch: Any, adam: bool = False) -> Any:
    """Two groups with different learning rates."""
    groups = [
        {"params": [torch.zeros(2, requires_grad=True)]},
        {"params": [torch.zeros(3, requires_grad=True)], "lr": 0.05},
    ]
    if adam:
        return torch.optim.Adam(groups, lr=0.1)
    return torch.optim.SGD(groups, lr=0.1, momentum=0.9)


def _row(optimizer: Any, scheduler: Any) -> list[float]:
    rates = [float(group["lr"]) for group in optimizer.param_groups]
    momenta = [g["betas"][0] if "betas" in g else g["momentum"] for g in optimizer.param_groups]
    last = [float(lr) for lr in scheduler.get_last_lr()]
    assert last == rates
    return [*rates, *momenta]


def _rows(optimizer: Any, scheduler: Any, steps: int = STEPS) -> list[list[float]]:
    rows = [_row(optimizer, scheduler)]
    for _ in range(steps):
        optimizer.step()
        scheduler.step()
        rows.append(_row(optimizer, scheduler))
    return rows


def run(torch: Any, key: str) -> dict[str, Any]:
    """The rates (and momenta) of 30 steps, and the names in the state dict."""
    schedules = torch.optim.lr_scheduler
    base, _, form = key.partition(":")
    optimizer = make_optimizer(torch, adam=form == "adam")
    if base in PLATEAU:
        scheduler = schedules.ReduceLROnPlateau(optimizer, **PLATEAU[base])
        rows = [_row(optimizer, scheduler)]
        for metric in METRICS:
            optimizer.step()
            scheduler.step(metric)
            rows.append(_row(optimizer, scheduler))
    elif base in SWA:
        scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.02, **SWA[base])
        rows = _rows(optimizer, scheduler)
    elif base in COMBINED:
        scheduler = COMBINED[base](schedules, optimizer)
        rows = _rows(optimizer, scheduler)
    else:
        name, args, options = SIMPLE[base]
        scheduler = getattr(schedules, name)(optimizer, *args, **options)
        rows = _closed(optimizer, scheduler) if form == "closed" else _rows(optimizer, scheduler)
    return {"rows": rows, "keys": sorted(scheduler.state_dict())}


def _closed(optimizer: Any, scheduler: Any) -> list[list[float]]:
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # giving an epoch is deprecated
        for epoch in (0, 3, 4, 11, 2, 29):
            optimizer.step()
            scheduler.step(epoch)
            rows.append(_row(optimizer, scheduler))
    return rows


def _warm_then_decay(s: Any, optimizer: Any) -> Any:
    parts = [s.ConstantLR(optimizer, 0.1, total_iters=2), s.ExponentialLR(optimizer, 0.9)]
    return s.SequentialLR(optimizer, parts, milestones=[4])


def _three_in_turn(s: Any, optimizer: Any) -> Any:
    parts = [
        s.LinearLR(optimizer, 0.1, total_iters=5),
        s.CosineAnnealingLR(optimizer, 10),
        s.StepLR(optimizer, 3),
    ]
    return s.SequentialLR(optimizer, parts, milestones=[5, 15])


def _nested(s: Any, optimizer: Any) -> Any:
    inner = s.SequentialLR(
        optimizer, [s.LinearLR(optimizer), s.ExponentialLR(optimizer, 0.8)], milestones=[6]
    )
    return s.SequentialLR(optimizer, [inner, s.StepLR(optimizer, 4)], milestones=[12])


def _chained(s: Any, optimizer: Any) -> Any:
    parts = [s.ConstantLR(optimizer, 0.1, total_iters=4), s.ExponentialLR(optimizer, 0.95)]
    return s.ChainedScheduler(parts, optimizer=optimizer)


def _chained_in_turn(s: Any, optimizer: Any) -> Any:
    both = s.ChainedScheduler([s.LinearLR(optimizer), s.ExponentialLR(optimizer, 0.9)])
    return s.SequentialLR(optimizer, [both, s.StepLR(optimizer, 2)], milestones=[8])


COMBINED = {
    "sequential": _warm_then_decay,
    "sequential-three": _three_in_turn,
    "sequential-nested": _nested,
    "chained": _chained,
    "sequential-chained": _chained_in_turn,
}
ALL = [
    *SIMPLE, *PLATEAU, *SWA, *COMBINED, *[f"{key}:closed" for key in CLOSED],
    "cyclic:adam", "onecycle:adam", "onecycle-three:adam",
]  # fmt: skip
