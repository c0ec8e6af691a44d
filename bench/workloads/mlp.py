"""Forward and backward of multilayer perceptrons whose weights are plain tensors.

Three spellings of the same network: `ops` is written in operators only, `functional` as most people
write it today, `mixed` has the operators' layers under the fused loss.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from ..case import Case, Repeated, Workload, as_arrays, digest, eager_goal, sample

SPELLINGS = ("ops", "mixed", "functional")
# layer sizes, batch, and how many times faster than PyTorch eager it is meant to be
NETWORKS: tuple[tuple[tuple[int, ...], int, float | None], ...] = (
    ((2, 16, 16, 2), 32, 2.0),
    ((64, 128, 128, 10), 64, None),
    ((784, 512, 512, 10), 128, 1.1),
)


def initial_parameters(sizes: tuple[int, ...]) -> list[Any]:
    """Weights (out, in) and biases, alternating, as arrays."""
    arrays = []
    for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
        arrays.append(sample(10 + layer, outputs, inputs, scale=inputs**-0.5))
        arrays.append(sample(20 + layer, outputs, scale=0.1))
    return arrays


def example_batch(sizes: tuple[int, ...], batch: int) -> tuple[Any, Any, Any]:
    """Inputs, regression targets, and classes."""
    inputs, targets = sample(1, batch, sizes[0]), sample(2, batch, sizes[-1])
    return inputs, targets, targets.argmax(axis=1)


def squared_error(torch: Any) -> Callable:
    def loss(x: Any, y: Any, *parameters: Any) -> Any:
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))
        for weight, bias in layers[:-1]:
            x = torch.tanh(x @ weight.T + bias)
        weight, bias = layers[-1]
        return ((x @ weight.T + bias - y) ** 2).mean()

    return loss


def cross_entropy(torch: Any, *, layer: Callable) -> Callable:
    relu, cross_entropy = torch.relu, torch.nn.functional.cross_entropy

    def loss(x: Any, y: Any, *parameters: Any) -> Any:
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))
        for weight, bias in layers[:-1]:
            x = relu(layer(x, weight, bias))
        return cross_entropy(layer(x, *layers[-1]), y)

    return loss


def loss_function(torch: Any, spelling: str) -> Callable:
    if spelling == "ops":
        return squared_error(torch)
    if spelling == "mixed":
        return cross_entropy(torch, layer=lambda x, weight, bias: x @ weight.T + bias)
    return cross_entropy(torch, layer=torch.nn.functional.linear)


def step_case(torch: Any, sizes: tuple[int, ...], batch: int, spelling: str) -> Case:
    inputs, targets, classes = example_batch(sizes, batch)
    x = torch.tensor(inputs)
    y = torch.tensor(targets if spelling == "ops" else classes)
    parameters = [torch.tensor(a, requires_grad=True) for a in initial_parameters(sizes)]
    loss_of = loss_function(torch, spelling)

    def step() -> Any:
        for parameter in parameters:
            parameter.grad = None
        loss = loss_of(x, y, *parameters)
        loss.backward()
        return loss

    def values() -> list[float]:
        loss = step()
        return digest(as_arrays([loss, *(parameter.grad for parameter in parameters)]))

    return Repeated(step, values)


def workloads() -> Iterator[Workload]:
    for sizes, batch, goal in NETWORKS:
        for spelling in SPELLINGS:
            yield Workload(
                f"mlp/{'-'.join(map(str, sizes))}/b{batch}/{spelling}",
                "mlp",
                lambda torch, style, sizes=sizes, batch=batch, spelling=spelling: step_case(
                    torch, sizes, batch, spelling
                ),
                "mlp",
                {"sizes": sizes, "batch": batch, "spelling": spelling},
                goals=() if goal is None else (eager_goal(goal),),
                threaded=True,
            )
