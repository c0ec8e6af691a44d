"""Optimizers and their options, as run by PyTorch (recorded) and by chainrule (tested).

Each case makes a few parameters from fixed numbers, gives them fixed gradients step by step, and
returns the parameters and the whole state after steps 1, 2, 3 and 10.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SHAPES = ((4, 3), (5,), ())
RECORDED_STEPS = (1, 2, 3, 10)

_ADAM = [
    {}, {"lr": 0.01, "weight_decay": 0.1}, {"amsgrad": True, "lr": 0.05}, {"maximize": True},
    {"betas": (0.5, 0.6), "eps": 1e-3}, {"betas": (0.3, 0.9), "lr": 0.02},
    {"amsgrad": True, "weight_decay": 0.2, "maximize": True},
]  # fmt: skip
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {}, {"lr": 0.1}, {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
        {"lr": 0.1, "momentum": 0.8, "nesterov": True}, {"lr": 0.1, "weight_decay": 0.2},
        {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.2, "maximize": True},
    ],
    "Adam": [*_ADAM, {"weight_decay": 0.3, "decoupled_weight_decay": True}],
    "AdamW": _ADAM,
    "Adamax": [{}, {"lr": 0.1, "weight_decay": 0.1}, {"betas": (0.5, 0.9)}, {"maximize": True}],
    "NAdam": [
        {}, {"lr": 0.1, "weight_decay": 0.1}, {"betas": (0.5, 0.9), "momentum_decay": 0.1},
        {"maximize": True}, {"weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "RAdam": [
        {}, {"lr": 0.1, "weight_decay": 0.1}, {"betas": (0.5, 0.9)}, {"maximize": True},
        {"weight_decay": 0.1, "decoupled_weight_decay": True, "lr": 0.05},
    ],
    "Adagrad": [
        {}, {"lr": 0.1, "weight_decay": 0.1}, {"lr_decay": 0.1, "lr": 0.2}, {"maximize": True},
        {"initial_accumulator_value": 0.5},
    ],
    "Adadelta": [
        {}, {"lr": 0.5, "weight_decay": 0.1}, {"rho": 0.7, "eps": 1e-4}, {"maximize": True},
    ],
    "RMSprop": [
        {}, {"lr": 0.05, "weight_decay": 0.1}, {"momentum": 0.9}, {"centered": True},
        {"momentum": 0.5, "centered": True, "alpha": 0.4, "maximize": True},
    ],
    "Rprop": [
        {}, {"lr": 0.1, "etas": (0.3, 1.5)}, {"step_sizes": (0.005, 0.02)}, {"maximize": True},
    ],
    "ASGD": [
        {}, {"lr": 0.1, "lambd": 0.1, "alpha": 0.5}, {"t0": 1.0, "lr": 0.1},
        {"weight_decay": 0.1, "maximize": True},
    ],
    "Adafactor": [
        {}, {"lr": 0.1, "weight_decay": 0.1}, {"beta2_decay": -0.5, "d": 2.0}, {"maximize": True},
        {"eps": (1e-6, 1e-2)},
    ],
    "Muon": [
        {}, {"lr": 0.1, "weight_decay": 0.0, "nesterov": False},
        {"adjust_lr_fn": "match_rms_adamw"},
        {"momentum": 0.5, "ns_steps": 3, "adjust_lr_fn": "original"},
    ],
}  # fmt: skip
FLAGS = [
    ("SGD", {"foreach": True, "momentum": 0.9}), ("Adam", {"fused": True}),
    ("AdamW", {"foreach": True}), ("RMSprop", {"foreach": True}), ("Adagrad", {"fused": True}),
]  # fmt: skip


def numbers(*shape: int, seed: int) -> np.ndarray:
    """The same normal numbers in every run and version."""
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def all_cases() -> list[tuple[str, str, dict[str, Any], str]]:
    """(key, class, options, type) of each case."""
    cases = []
    for name, listed in OPTIONS.items():
        for i, options in enumerate(listed):
            cases.append((f"{name}-{i}", name, options, "float32"))
        cases.append((f"{name}-float64", name, listed[-1], "float64"))
        if name not in ("Muon", "Adafactor"):
            cases.append((f"{name}-complex64", name, listed[1], "complex64"))
    cases += [
        (f"{name}-flag{i}", name, options, "float32") for i, (name, options) in enumerate(FLAGS)
    ]
    return cases


def _values(shape: tuple[int, ...], seed: int, dtype: str) -> np.ndarray:
    x = numbers(*shape, seed=seed)
    if dtype == "complex64":
        return (x + 1j * numbers(*shape, seed=seed + 1000)).astype(np.complex64)
    return x.astype(dtype)


def run(torch: Any, name: str, options: dict[str, Any], dtype: str) -> dict[str, np.ndarray]:
    """Parameters and state after some steps, as named arrays."""
    shapes = ((4, 3), (3, 5), (2, 2)) if name == "Muon" else SHAPES
    params = [torch.tensor(_values(s, i, dtype), requires_grad=True) for i, s in enumerate(shapes)]
    optimizer = getattr(torch.optim, name)(params, **options)
    found: dict[str, np.ndarray] = {}
    for step in range(1, max(RECORDED_STEPS) + 1):
        for i, p in enumerate(params):
            # One parameter has no gradient in the second step.
            missing = step == 2 and i == 1
            p.grad = None if missing else torch.tensor(_values(p.shape, 100 * step + i, dtype))
        optimizer.step()
        if step in RECORDED_STEPS:
            found |= snapshot(optimizer, f"{step}")
    return found


SPARSE: list[tuple[str, dict[str, Any]]] = [
    ("SparseAdam", {}), ("SparseAdam", {"lr": 0.1, "betas": (0.5, 0.9)}),
    ("SparseAdam", {"maximize": True}), ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "maximize": True}), ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.2, "maximize": True}),
]  # fmt: skip


def run_sparse(torch: Any, name: str, options: dict[str, Any]) -> dict[str, np.ndarray]:
    """As `run`, with gradients of a few rows of a matrix, some of them repeated."""
    p = torch.tensor(numbers(6, 2, seed=5), requires_grad=True)
    optimizer = getattr(torch.optim, name)([p], **options)
    found: dict[str, np.ndarray] = {}
    for step in range(1, max(RECORDED_STEPS) + 1):
        rows = [step % 6, 3, step % 6]
        values = torch.tensor(numbers(3, 2, seed=step))
        p.grad = torch.sparse_coo_tensor(torch.tensor([rows]), values, (6, 2))
        optimizer.step()
        if step in RECORDED_STEPS:
            taken = snapshot(optimizer, f"{step}")
            found |= {k: v for k, v in taken.items() if not k.endswith("momentum_buffer")}
    return found


def snapshot(optimizer: Any, label: str) -> dict[str, np.ndarray]:
    """All numbers of an optimizer, by step, parameter and name."""
    found = {}
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for i, p in enumerate(params):
        found[f"{label}/{i}/p"] = p.detach().numpy().copy()
    for i, state in optimizer.state_dict()["state"].items():
        for key, value in state.items():
            if hasattr(value, "detach") and not value.is_sparse:
                found[f"{label}/{i}/{key}"] = value.detach().numpy().copy()
    return found
