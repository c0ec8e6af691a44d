"""What one answer costs: networks at batch 1, in inference mode."""

from collections.abc import Iterator
from typing import Any

from ..case import Case, Goal, Repeated, Style, Within, Workload, as_arrays, digest
from . import models
from .elementwise import settled
from .train import Program, gpt, mlp

PROGRAMS: tuple[Program, ...] = (
    mlp(2, 16, 16, 2, batch=1, compiled=2.0),
    mlp(64, 128, 128, 10, batch=1, compiled=2.0),
    mlp(784, 512, 512, 10, batch=1, compiled=1.0),
    gpt(64, 1, compiled=1.3),
)


def inference_case(torch: Any, family: str, style: Style, **sizes: Any) -> Case:
    model = models.model_of(torch, family, **sizes).eval()
    x = torch.tensor(models.BATCHES[family](**sizes)[0])
    run = style.wrap(lambda x: model(x))
    values = lambda: settled(lambda: digest(as_arrays([run(x)])))  # noqa: E731
    return Within(torch.inference_mode, Repeated(lambda: run(x), values))


def workloads() -> Iterator[Workload]:
    for program in PROGRAMS:
        yield Workload(
            f"inference/{program.name}",
            "inference",
            lambda torch, style, program=program: inference_case(
                torch, program.family, style, **program.sizes
            ),
            "inference",
            {"family": program.family, **program.sizes},
            goals=(Goal(program.compiled),),
            threaded=True,
        )
