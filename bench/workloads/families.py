"""Training steps of networks for images and graphs, and of half precision under autocast."""

from collections.abc import Iterator
from typing import Any

from ..case import Case, Goal, Style, Workload, eager_goal
from . import more_networks, networks  # noqa: F401  (they add their networks to `models`)
from .train import Program, gpt, mlp, train_case

VISION = (
    Program("mobilenet/32/b16", "mobilenet", {"size": 32, "batch": 16}, compiled=1.0, eager=1.0),
    Program("resnet18/32/b16", "resnet18", {"size": 32, "batch": 16}, compiled=1.0, eager=1.0),
    Program("resnet50/96/b4", "resnet50", {"size": 96, "batch": 4}, compiled=1.0, eager=1.0),
    Program("efficientnet/32/b16", "efficientnet", {"size": 32, "batch": 16}, 1.0, 1.0),
    Program("unet/32/b8", "unet", {"size": 32, "batch": 8}, compiled=1.0, eager=1.0),
    Program("generator/32/b16", "generator", {"size": 32, "batch": 16}, compiled=1.0, eager=1.0),
)
GRAPH = (
    Program("attention/4x16", "graph", {"width": 64, "heads": 4}, compiled=1.0, eager=1.0),
    Program("recommender/b256", "recommender", {"batch": 256}, compiled=1.0, eager=1.0),
)
ATTENTIVE = (
    gpt(128, 2, layers=2, width=512, compiled=1.0, eager=1.0),
    Program("vit/32/b16", "vit", {"size": 32, "batch": 16}, compiled=1.0, eager=1.0),
    Program("encoder/T64/b16", "encoder", {"length": 64, "batch": 16}, compiled=1.0, eager=1.0),
)
HALF = (
    mlp(784, 512, 512, 10, batch=128, compiled=1.0, eager=1.0),
    gpt(64, 12, compiled=1.0, eager=1.0),
)
# bfloat16 has eight bits; a few steps of a network with batch norms multiply what rounding leaves.
TOLERANCE = {"bf16": 2e-2, "vision": 2e-2}


def case(torch: Any, style: Style, program: Program, half: str | None) -> Case:
    return train_case(torch, program.family, style, autocast=half, **program.sizes)


def workloads() -> Iterator[Workload]:
    for group, programs, half in (
        ("vision", VISION, None),
        ("graph", GRAPH, None),
        ("transformer", ATTENTIVE, None),
        ("bf16", HALF, "bfloat16"),
    ):
        for program in programs:
            eager = () if program.eager is None else (eager_goal(program.eager),)
            yield Workload(
                f"{group}/{program.name}",
                group,
                lambda torch, style, program=program, half=half: case(torch, style, program, half),
                group,
                {"family": program.family, **program.sizes},
                goals=(Goal(program.compiled), *eager),
                threaded=True,
                tolerance=TOLERANCE.get(group),
            )
