"""Many lengths: an epoch over texts of 40 different lengths, and one whose last batch is smaller.

A case is one epoch of training steps. Engines that compile are told that lengths vary.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..case import Case, Goal, Repeated, Style, Workload, eager_goal
from . import models
from .models import CLASSES, VOCABULARY, classes, sample
from .train import RATE

GPT = {"layers": 2, "width": 128, "heads": 4, "length": 64, "batch": 8}
MLP = {"sizes": (64, 256, CLASSES), "batch": 64}
EPOCHS = 3  # until an engine has compiled what it will
Batch = tuple[np.ndarray, np.ndarray]


def texts() -> list[Batch]:
    """One batch of every length from 25 to 64, in no order."""
    lengths = 25 + np.random.RandomState(3).permutation(40)
    count = GPT["batch"]
    return [
        (classes(n, VOCABULARY, count, n), classes(n + 1, VOCABULARY, count, n))
        for n in lengths.tolist()
    ]


def rows() -> list[Batch]:
    """Nine whole batches and a last one of 37."""
    counts = [MLP["batch"]] * 9 + [37]
    return [(sample(k, n, 64), classes(k, CLASSES, n)) for k, n in enumerate(counts)]


def epoch_case(
    torch: Any, style: Style, family: str, sizes: dict[str, Any], data: Callable[[], list[Batch]]
) -> Case:
    model = models.model_of(torch, family, **sizes)
    settings = style.optimizers[-1]
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, **settings)
    cross_entropy = torch.nn.functional.cross_entropy

    def loss_of(x: Any, y: Any) -> Any:
        logits = model(x)
        return cross_entropy(logits.view(-1, logits.shape[-1]), y.view(-1))

    loss_of = loss_of if style.whole else style.varied(loss_of)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        return loss

    run = style.varied(step) if style.whole else step
    batches = [tuple(map(torch.tensor, batch)) for batch in data()]

    def epoch() -> list[Any]:
        return [run(x, y) for x, y in batches]

    losses = [loss.item() for _ in range(EPOCHS) for loss in epoch()]
    return Repeated(epoch, lambda: losses)


def workloads() -> Iterator[Workload]:
    for name, family, sizes, data in (
        ("gpt/40 lengths", "gpt", GPT, texts),
        ("mlp/last batch", "mlp", MLP, rows),
    ):
        yield Workload(
            f"dynamic/{name}",
            "dynamic",
            lambda torch, style, family=family, sizes=sizes, data=data: epoch_case(
                torch, style, family, sizes, data
            ),
            "dynamic",
            goals=(Goal(1.0), Goal(1.0, "compiled", ("chainrule",)), eager_goal(1.0)),
            threaded=True,
        )
