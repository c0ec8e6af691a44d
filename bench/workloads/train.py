"""Training steps as users write them: a module, cross entropy, AdamW.

All engines get the same program and the same initial weights (by the same seed). PyTorch runs with
the fastest of its optimizer's settings, found before the clock starts; the report names it.
"""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from bench.case import Case, Noted, Workload
from bench.workloads import models

OPTIMIZER_SETTINGS: tuple[dict[str, bool], ...] = ({}, {"foreach": True}, {"fused": True})
STEPS_COMPARED = 4
TRIAL_SECONDS = 0.3

# name, how to build it from `torch`, and how many times faster than PyTorch eager it is meant to be
PROGRAMS: tuple[tuple[str, Callable, float], ...] = (
    ("mlp/2-16-16-2/b32", lambda torch: models.mlp(torch, (2, 16, 16, 2), 32), 1.0),
    ("mlp/64-128-128-10/b64", lambda torch: models.mlp(torch, (64, 128, 128, 10), 64), 1.0),
    ("mlp/784-512-512-10/b128", lambda torch: models.mlp(torch, (784, 512, 512, 10), 128), 1.0),
    ("lstm/32-128/T50/b32", lambda torch: models.lstm(torch), 1.0),
    ("gpt/4x128/T64/b12", lambda torch: models.gpt(torch), 1.0),
    ("cnn/mnist/b64", lambda torch: models.cnn(torch), 0.8),
)


def training_step(torch: Any, program: Callable, settings: dict[str, bool]) -> Callable[..., Any]:
    torch.manual_seed(0)
    model, inputs, targets = program(torch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, **settings)
    loss_of = torch.nn.functional.cross_entropy

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        logits = model(x)
        loss = loss_of(logits.view(-1, logits.shape[-1]), y)
        loss.backward()
        optimizer.step()
        return loss

    return lambda wrap: (wrap(step), torch.tensor(inputs), torch.tensor(targets))


def seconds_of(step: Callable[[], Any]) -> float:
    """The best step of a short trial."""
    best, end = float("inf"), perf_counter() + TRIAL_SECONDS
    while perf_counter() < end:
        start = perf_counter()
        step()
        best = min(best, perf_counter() - start)
    return best


def train_case(torch: Any, program: Callable, compiled: Callable) -> Case:
    tried = []
    several = hasattr(torch, "__config__")  # PyTorch itself
    for settings in OPTIMIZER_SETTINGS if several else OPTIMIZER_SETTINGS[:1]:
        run, x, y = training_step(torch, program, settings)(compiled)
        losses = [run(x, y).item() for _ in range(STEPS_COMPARED)]
        seconds = seconds_of(lambda run=run, x=x, y=y: run(x, y)) if several else 0.0
        tried.append((seconds, "+".join(settings) or "default", run, x, y, losses))
    _, name, run, x, y, losses = min(tried, key=lambda one: one[0])
    return Noted(lambda: run(x, y), lambda: losses, f"{name} AdamW" if several else "")


def workloads() -> Iterator[Workload]:
    for name, program, goal in PROGRAMS:
        yield Workload(
            f"train/{name}",
            "train",
            lambda torch, compiled, program=program: train_case(torch, program, compiled),
            goal=goal,
            threaded=True,
        )
