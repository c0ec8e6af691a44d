"""Training steps as users write them: a module, cross entropy, AdamW; and how their cost grows.

All engines get the same program and the same initial weights. PyTorch runs with the fastest of its
optimizer's settings, found before the clock starts; the report names it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..case import Case, Goal, Repeated, Style, Workload, eager_goal, fastest
from . import models

RATE, DECAY, BETAS, EPSILON = 1e-3, 1e-2, (0.9, 0.999), 1e-8  # AdamW's defaults
# Enough for an engine that compiles after a few calls to be compiled.
STEPS_COMPARED = 6
MATMUL_BOUND = 1.25


@dataclass(frozen=True)
class Program:
    """A network to train, and what is wanted of its step."""

    name: str
    family: str
    sizes: dict[str, Any]
    compiled: float
    eager: float | None = None
    floor: float | None = None


def mlp(*sizes: int, batch: int, **wanted: Any) -> Program:
    name = f"mlp/{'-'.join(map(str, sizes))}/b{batch}"
    return Program(name, "mlp", {"sizes": sizes, "batch": batch}, **wanted)


def gpt(length: int, batch: int, layers: int = 4, width: int = 128, **wanted: Any) -> Program:
    sizes = {"layers": layers, "width": width, "heads": 4, "length": length, "batch": batch}
    return Program(f"gpt/{layers}x{width}/T{length}/b{batch}", "gpt", sizes, **wanted)


LSTM = {"inputs": 32, "hidden": 128, "length": 50, "batch": 32}
PROGRAMS: tuple[Program, ...] = (
    mlp(2, 16, 16, 2, batch=32, compiled=2.0, eager=1.0),
    mlp(64, 128, 128, 10, batch=64, compiled=2.0, eager=1.0),
    mlp(784, 512, 512, 10, batch=128, compiled=1.0, eager=1.0, floor=MATMUL_BOUND),
    Program("lstm/32-128/T50/b32", "lstm", LSTM, compiled=1.3, eager=1.0),
    gpt(64, 12, compiled=1.3, eager=1.0, floor=MATMUL_BOUND),
    gpt(1024, 1, compiled=1.0),
    Program("cnn/mnist/b64", "cnn", {"batch": 64}, compiled=1.0, eager=0.8, floor=MATMUL_BOUND),
)


def steps(
    torch: Any, family: str, style: Style, autocast: str | None = None, **sizes: Any
) -> Iterator[tuple[str, Callable]]:
    """The training step with each of the optimizer's settings, from the same weights."""
    model = models.model_of(torch, family, **sizes)
    inputs, targets = models.BATCHES[family](**sizes)
    x, y = torch.tensor(inputs), torch.tensor(targets)
    cross_entropy = torch.nn.functional.cross_entropy

    def loss_of(x: Any, y: Any) -> Any:
        if autocast is None:
            return plain_loss(x, y)
        with torch.autocast("cpu", dtype=getattr(torch, autocast)):
            return plain_loss(x, y)

    def plain_loss(x: Any, y: Any) -> Any:
        logits = model(x)
        return cross_entropy(logits.view(-1, logits.shape[-1]), y)

    if not style.whole:
        loss_of = style.wrap(loss_of)

    def with_optimizer(settings: dict[str, bool]) -> Callable[[], Any]:
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, **settings)
        update = style.wrap(optimizer.step) if style.wraps_update else optimizer.step

        def step(x: Any, y: Any) -> Any:
            optimizer.zero_grad()
            loss = loss_of(x, y)
            loss.backward()
            update()
            return loss

        run = style.wrap(step) if style.whole else step
        return lambda: run(x, y)

    for settings in style.optimizers:
        models.set_weights(torch, model)
        yield "+".join(settings) or "default", with_optimizer(settings)


def train_case(
    torch: Any, family: str, style: Style, autocast: str | None = None, **sizes: Any
) -> Case:
    ways: dict[str, Callable] = {}
    losses: dict[str, list[float]] = {}
    failed: list[Exception] = []
    for name, step in steps(torch, family, style, autocast, **sizes):
        try:
            losses[name] = [step().item() for _ in range(STEPS_COMPARED)]
        except Exception as error:  # one setting may be beyond a compiler that takes the others
            failed.append(error)
        else:
            ways[name] = step
    if not ways:
        raise failed[0]
    name = fastest(ways)
    note = f"{name} AdamW" if len(style.optimizers) > 1 else ""
    return Repeated(ways[name], lambda: losses[name], note)


def workloads() -> Iterator[Workload]:
    for program in PROGRAMS:
        eager = () if program.eager is None else (eager_goal(program.eager),)
        yield Workload(
            f"train/{program.name}",
            "train",
            lambda torch, style, program=program: train_case(
                torch, program.family, style, **program.sizes
            ),
            "train",
            {"family": program.family, **program.sizes},
            goals=(Goal(program.compiled), *eager),
            threaded=True,
            floor=program.floor,
        )
    yield from scaling()


# ---- how the cost grows --------------------------------------------------------------------------

SCALED: dict[str, Callable[[int], Program]] = {
    "width": lambda n: mlp(64, n, n, 10, batch=64, compiled=1.0),
    "depth": lambda n: mlp(64, *[128] * n, 10, batch=64, compiled=1.0),
    "batch": lambda n: mlp(64, 128, 128, 10, batch=n, compiled=1.0),
    "sequence": lambda n: gpt(n, 1, layers=2, width=64, compiled=1.0),
}
POINTS = {
    "width": (128, 512, 1024),
    "depth": (2, 8, 16),
    "batch": (32, 512, 2048),
    "sequence": (64, 256, 512),
}


def scaling() -> Iterator[Workload]:
    for what, points in POINTS.items():
        for n in points:
            program = SCALED[what](n)
            yield Workload(
                f"scale/{what}/{n}",
                "scale",
                lambda torch, style, program=program: train_case(
                    torch, program.family, last_setting(style), **program.sizes
                ),
                "scale",
                {"family": program.family, **program.sizes},
                threaded=True,
            )


def last_setting(style: Style) -> Style:
    """Without a trial: here engines are compared with themselves."""
    return replace(style, optimizers=style.optimizers[-1:])
