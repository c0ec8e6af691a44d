"""Whole training steps: gradients to None, forward, cross entropy, backward, update.

The step is one function, so that an engine which compiles functions gets all of it.
"""

from collections.abc import Callable, Iterator
from typing import Any

from ..case import Case, Repeated, Style, Workload, as_arrays, digest
from .mlp import cross_entropy, example_batch, initial_parameters

NETWORKS: tuple[tuple[tuple[int, ...], int], ...] = (
    ((2, 16, 16, 2), 32),
    ((64, 128, 128, 10), 64),
    ((784, 512, 512, 10), 128),
)
RATE, DECAY = 1e-3, 1e-2


def sgd(torch: Any, parameters: list[Any]) -> Callable[[], None]:
    return torch.optim.SGD(parameters, lr=RATE, fused=True).step


def adamw(torch: Any, parameters: list[Any]) -> Callable[[], None]:
    return torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY, fused=True).step


def step_case(
    torch: Any, sizes: tuple[int, ...], batch: int, optimizer: Callable, style: Style
) -> Case:
    inputs, _, classes = example_batch(sizes, batch)
    x, y = torch.tensor(inputs), torch.tensor(classes)
    parameters = [torch.tensor(a, requires_grad=True) for a in initial_parameters(sizes)]
    loss_of = cross_entropy(torch, layer=torch.nn.functional.linear)
    update = optimizer(torch, parameters)

    def step(x: Any, y: Any) -> Any:
        for parameter in parameters:
            parameter.grad = None
        loss = loss_of(x, y, *parameters)
        loss.backward()
        update()
        return loss

    run = style.wrap(step)

    def values() -> list[float]:
        # Enough steps for an engine that compiles after a few calls to be compiled.
        losses = [run(x, y) for _ in range(8)]
        return digest(as_arrays([*losses, *parameters]))

    return Repeated(lambda: run(x, y), values)


def workloads() -> Iterator[Workload]:
    for sizes, batch in NETWORKS:
        for optimizer in (sgd, adamw):
            yield Workload(
                f"step/{'-'.join(map(str, sizes))}/b{batch}/{optimizer.__name__}",
                "step",
                lambda torch, style, sizes=sizes, batch=batch, optimizer=optimizer: step_case(
                    torch, sizes, batch, optimizer, style
                ),
                "step",
                {"sizes": sizes, "batch": batch},
                threaded=True,
            )
