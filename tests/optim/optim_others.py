"""What else PyTorch was asked: texts, saved state, LBFGS, averaged weights."""

from __future__ import annotations

from typing import Any

import numpy as np

NAMES = (
    "SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop",
    "ASGD", "LBFGS", "Adafactor", "Muon",
)  # fmt: skip
LBFGS_OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {"lr": 0.1, "max_iter": 5},
    "wolfe": {"line_search_fn": "strong_wolfe"},
    "wolfe-short": {"line_search_fn": "strong_wolfe", "max_iter": 4, "history_size": 3, "lr": 0.5},
    "few-evaluations": {"line_search_fn": "strong_wolfe", "max_eval": 7},
}


def texts(torch: Any) -> dict[str, str]:
    """The repr of each optimizer, and of one with two groups."""
    found = {}
    for name in NAMES:
        shape = (2, 2) if name == "Muon" else (2,)
        p = torch.zeros(*shape, requires_grad=True)
        found[name] = repr(getattr(torch.optim, name)([p]))
    a, b = torch.zeros(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    groups = [{"params": [a]}, {"params": [b], "lr": 0.5, "momentum": 0.3}]
    found["groups"] = repr(torch.optim.SGD(groups, lr=0.1))
    return found


def saved(torch: Any) -> dict[str, Any]:
    """The layout of a state dict: keys, numbering, types."""
    a, b = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    groups = [{"params": [("a", a)]}, {"params": [("b", b)], "lr": 0.5}]
    optimizer = torch.optim.AdamW(groups, amsgrad=True)
    (a.sum() + b.sum()).backward()
    optimizer.step()
    state = optimizer.state_dict()
    return {
        "groups": [{k: repr(v) for k, v in group.items()} for group in state["param_groups"]],
        "state": {
            str(k): {n: [list(t.shape), str(t.dtype).split(".")[-1]] for n, t in v.items()}
            for k, v in state["state"].items()
        },
    }


def rosenbrock(x: Any) -> Any:
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def lbfgs(torch: Any, key: str) -> dict[str, Any]:
    """Positions, losses and counts of five steps on Rosenbrock's valley, in double precision."""
    x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], **LBFGS_OPTIONS[key])

    def closure() -> Any:
        optimizer.zero_grad()
        loss = rosenbrock(x)
        loss.backward()
        return loss

    rows = []
    for _ in range(5):
        loss = float(optimizer.step(closure))
        state = optimizer.state_dict()["state"][0]
        rows.append([*x.tolist(), loss, state["func_evals"], state["n_iter"]])
    return {"rows": rows, "keys": sorted(state)}


def averaged(torch: Any, kind: str) -> list[Any]:
    """An averaged model after three updates: parameters, buffers and the count."""
    utils = torch.optim.swa_utils
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    options: dict[str, Any] = {
        "swa": {},
        "ema": {"multi_avg_fn": utils.get_ema_multi_avg_fn(0.9)},
        "ema-one": {"avg_fn": utils.get_ema_avg_fn(0.8)},
        "swa-one": {"avg_fn": utils.get_swa_avg_fn()},
        "buffers": {"use_buffers": True},
    }[kind]
    average = utils.AveragedModel(model, **options)
    state = np.random.RandomState(3)
    for _ in range(3):
        with torch.no_grad():
            for p in model.parameters():
                p.copy_(torch.tensor(state.standard_normal(p.shape).astype(np.float32)))
        model(torch.tensor(state.standard_normal((6, 2)).astype(np.float32)))
        average.update_parameters(model)
    if kind == "swa":
        data = [torch.tensor(state.standard_normal((4, 2)).astype(np.float32)) for _ in range(3)]
        utils.update_bn([(x, 0) for x in data], average)
    return [[key, value.tolist()] for key, value in average.state_dict().items()]


AVERAGES = ("swa", "ema", "ema-one", "swa-one", "buffers")


def record(torch: Any) -> dict[str, Any]:
    return {
        "texts": texts(torch),
        "saved": saved(torch),
        "lbfgs": {key: lbfgs(torch, key) for key in LBFGS_OPTIONS},
        "averaged": {kind: averaged(torch, kind) for kind in AVERAGES},
    }
