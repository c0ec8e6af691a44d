"""A large model: one training step of GPT-2 with 124 million parameters, at batch 1."""

from collections.abc import Iterator
from typing import Any

from ..case import Case, Goal, Style, Workload, eager_goal
from . import models
from .models import classes
from .train import last_setting, train_case

WORDS, LENGTH = 50257, 512
SIZES = {"layers": 12, "width": 768, "heads": 12, "length": LENGTH, "batch": 1}


def large_gpt(torch: Any, **sizes: int) -> Any:
    """As `gpt`, with the words of GPT-2, whose table gives the scores as well."""
    model = models.gpt(torch, **sizes)
    model.tokens = torch.nn.Embedding(WORDS, sizes["width"])
    model.head = torch.nn.Linear(sizes["width"], WORDS, bias=False)
    model.head.weight = model.tokens.weight
    return model


def large_batch(**sizes: int) -> tuple[Any, Any]:
    return classes(1, WORDS, 1, LENGTH), classes(2, WORDS, LENGTH)


models.MODELS["gpt2"], models.BATCHES["gpt2"] = large_gpt, large_batch


def case(torch: Any, style: Style) -> Case:
    return train_case(torch, "gpt2", last_setting(style), **SIZES)


def workloads() -> Iterator[Workload]:
    yield Workload(
        f"large/gpt2/T{LENGTH}/b1",
        "large",
        case,
        "large",
        {"family": "gpt2", **SIZES},
        goals=(Goal(1.0), eager_goal(1.0)),
        threaded=True,
        tolerance=1e-3,
    )
