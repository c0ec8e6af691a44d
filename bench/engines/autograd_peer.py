"""HIPS autograd: gradients of NumPy code, with AdamW written in NumPy."""

from collections.abc import Callable
from typing import Any

import numpy

from ..case import Case, Repeated, digest, sample
from ..workloads import derivatives, elementwise
from ..workloads.mlp import example_batch, initial_parameters
from ..workloads.models import BATCHES
from ..workloads.train import BETAS, DECAY, EPSILON, RATE, STEPS_COMPARED
from . import jax_models
from .base import Counterparts


def mlp_loss(np: Any, sizes: tuple[int, ...], x: Any, y: Any) -> Callable:
    rows = numpy.arange(len(x))

    def loss(parameters: dict[str, Any]) -> Any:
        h, last = x, 2 * (len(sizes) - 2)
        for layer in range(0, last, 2):
            h = np.maximum(jax_models.apply_linear(parameters, str(layer), h), 0)
        logits = jax_models.apply_linear(parameters, str(last), h)
        shifted = logits - np.max(logits, axis=1, keepdims=True)
        return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - shifted[rows, y])

    return loss


def update(p: Any, g: Any, mean: Any, square: Any, count: int) -> None:
    """AdamW in place."""
    beta1, beta2 = BETAS
    p *= 1 - RATE * DECAY
    mean += (1 - beta1) * (g - mean)
    square += (1 - beta2) * (g * g - square)
    p -= RATE / (1 - beta1**count) * mean / (numpy.sqrt(square / (1 - beta2**count)) + EPSILON)


def train_case(family: str, **sizes: Any) -> Case | None:
    """The perceptrons; the other networks have no counterpart here."""
    if family != "mlp":
        return None
    import autograd
    import autograd.numpy as np

    parameters = jax_models.parameters(family, **sizes)
    means = {name: numpy.zeros_like(a) for name, a in parameters.items()}
    squares = {name: numpy.zeros_like(a) for name, a in parameters.items()}
    loss_of = mlp_loss(np, sizes["sizes"], *BATCHES[family](**sizes))
    value_and_grad = autograd.value_and_grad(loss_of)
    count = 0

    def step() -> Any:
        nonlocal count
        count += 1
        loss, gradients = value_and_grad(parameters)
        for name, p in parameters.items():
            update(p, gradients[name], means[name], squares[name], count)
        return loss

    losses = [float(step()) for _ in range(STEPS_COMPARED)]
    return Repeated(step, lambda: losses)


def chain_case(elements: int, part: str) -> Case:
    import autograd
    import autograd.numpy as np

    x = sample(1, elements)
    if part == "forward":
        return Repeated(
            lambda: elementwise.chain(np, x), lambda: digest([elementwise.chain(np, x)])
        )
    run = autograd.value_and_grad(lambda x: np.sum(elementwise.chain(np, x)))
    return Repeated(lambda: run(x), lambda: digest(run(x)))


def scalar_case() -> Case:
    import autograd
    import autograd.numpy as np

    graph = lambda scalars: elementwise.scalar_graph(np, *scalars)  # noqa: E731
    run = autograd.value_and_grad(graph)

    def values() -> list[float]:
        value, gradients = run(elementwise.SCALARS)
        return digest([value, *gradients])

    return Repeated(lambda: run(elementwise.SCALARS), values)


def hvp_case() -> Case:
    import autograd
    import autograd.numpy as np

    x, y, _ = example_batch(derivatives.SIZES, derivatives.BATCH)
    parameters = initial_parameters(derivatives.SIZES)
    vector = derivatives.directions()
    loss_of = derivatives.squared_error(np)
    gradient = autograd.grad(lambda parameters: loss_of(x, y, *parameters))

    def along(parameters: list[Any]) -> Any:
        pairs = zip(gradient(parameters), vector, strict=True)
        return sum(np.sum(g * v) for g, v in pairs)

    run = autograd.grad(along)
    return Repeated(lambda: run(parameters), lambda: digest(run(parameters)))


def jacobian_case(mode: str, data: Callable) -> Case:
    import autograd
    import autograd.numpy as np

    matrix, point = data()
    function = lambda x: np.tanh(np.dot(matrix, x)) ** 2  # noqa: E731
    if mode == "jacrev":
        run = autograd.jacobian(function)
    else:
        push = autograd.make_jvp(function)
        basis = numpy.eye(len(point), dtype=point.dtype)
        run = lambda x: numpy.stack([push(x)(v)[1] for v in basis], axis=1)  # noqa: E731
    return Repeated(lambda: run(point), lambda: digest([run(point)]))


AUTOGRAD = Counterparts(
    "autograd",
    "autograd",
    peer=True,
    builders={
        "train": train_case,
        "chain": chain_case,
        "scalar": scalar_case,
        "hvp": hvp_case,
        "jacobian": jacobian_case,
    },
)
