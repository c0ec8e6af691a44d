"""jax.jit: whole training steps with AdamW written out, and the other workloads in jax.numpy."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..case import Case, Repeated, digest, sample
from ..workloads import derivatives, elementwise
from ..workloads.mlp import example_batch, initial_parameters
from ..workloads.models import BATCHES
from ..workloads.train import BETAS, DECAY, EPSILON, RATE, STEPS_COMPARED
from . import jax_models
from .base import Counterparts


@dataclass(frozen=True)
class Jax(Counterparts):
    def environment(self, threads: int) -> dict[str, str]:
        variables = {"JAX_PLATFORMS": "cpu"}
        if threads == 1:
            flags = os.environ.get("XLA_FLAGS", "")
            variables["XLA_FLAGS"] = f"{flags} --xla_cpu_multi_thread_eigen=false".strip()
        return variables

    def use_threads(self, module: Any, count: int) -> None:
        """Its pool has a thread for each core of the process, and no other setting."""
        if hasattr(os, "sched_setaffinity"):
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, cores[:count])


class Latest:
    """Calls return before they have computed: the clock waits for the last one."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function, self.result = function, None

    def __call__(self) -> None:
        self.result = self.function()

    def wait(self) -> Any:
        import jax

        return jax.block_until_ready(self.result)

    def values(self) -> list[float]:
        import jax

        self()
        return digest(jax.tree_util.tree_leaves(self.wait()))

    def case(self) -> Case:
        return Repeated(self, self.values, finish=self.wait)


def adamw(parameter: Any, gradient: Any, mean: Any, square: Any, count: Any) -> tuple:
    """One parameter after one update, with its averages."""
    import jax.numpy as jnp

    beta1, beta2 = BETAS
    mean = beta1 * mean + (1 - beta1) * gradient
    square = beta2 * square + (1 - beta2) * gradient * gradient
    unbiased = jnp.sqrt(square / (1 - beta2**count)) + EPSILON
    update = RATE / (1 - beta1**count) * mean / unbiased
    return parameter * (1 - RATE * DECAY) - update, mean, square


def train_case(family: str, **sizes: Any) -> Case:
    import jax
    import jax.numpy as jnp

    x, y = (jnp.asarray(array) for array in BATCHES[family](**sizes))
    initial = jax_models.parameters(family, **sizes)
    forward = jax_models.FORWARD[family]

    def loss_of(parameters: dict, x: Any, y: Any) -> Any:
        return jax_models.cross_entropy(forward(parameters, x, **sizes), y)

    def step(state: tuple, x: Any, y: Any) -> tuple:
        parameters, means, squares, count = state
        count = count + 1
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        updated = {
            name: adamw(parameters[name], gradients[name], means[name], squares[name], count)
            for name in parameters
        }
        split = [{name: parts[k] for name, parts in updated.items()} for k in range(3)]
        return (*split, count), loss

    run = jax.jit(step, donate_argnums=0)
    copies = [{name: jnp.asarray(a) for name, a in initial.items()}]
    copies += [{name: jnp.zeros_like(a) for name, a in initial.items()} for _ in range(2)]
    state: tuple = (*copies, jnp.float32(0))

    def once() -> Any:
        nonlocal state
        state, loss = run(state, x, y)
        return loss

    losses = [float(once()) for _ in range(STEPS_COMPARED)]
    latest = Latest(once)
    return Repeated(latest, lambda: losses, finish=latest.wait)


def inference_case(family: str, **sizes: Any) -> Case:
    import jax
    import jax.numpy as jnp

    x = jnp.asarray(BATCHES[family](**sizes)[0])
    parameters = {n: jnp.asarray(a) for n, a in jax_models.parameters(family, **sizes).items()}
    forward = jax_models.FORWARD[family]
    run = jax.jit(lambda parameters, x: forward(parameters, x, **sizes))
    return Latest(lambda: run(parameters, x)).case()


def chain_case(elements: int, part: str) -> Case:
    import jax
    import jax.numpy as jnp

    x = jnp.asarray(sample(1, elements))
    if part == "forward":
        run = jax.jit(lambda x: elementwise.chain(jnp, x))
    else:
        run = jax.jit(jax.value_and_grad(lambda x: elementwise.chain(jnp, x).sum()))
    return Latest(lambda: run(x)).case()


def scalar_case() -> Case:
    import jax
    import jax.numpy as jnp

    scalars = [jnp.float32(value) for value in elementwise.SCALARS]
    graph = lambda *scalars: elementwise.scalar_graph(jnp, *scalars)  # noqa: E731
    run = jax.jit(jax.value_and_grad(graph, argnums=tuple(range(len(scalars)))))
    return Latest(lambda: run(*scalars)).case()


def hvp_case() -> Case:
    import jax
    import jax.numpy as jnp

    inputs, targets, _ = example_batch(derivatives.SIZES, derivatives.BATCH)
    x, y = jnp.asarray(inputs), jnp.asarray(targets)
    parameters = [jnp.asarray(a) for a in initial_parameters(derivatives.SIZES)]
    vector = [jnp.asarray(a) for a in derivatives.directions()]
    loss_of = derivatives.squared_error(jnp)
    gradient = jax.grad(lambda parameters: loss_of(x, y, *parameters))
    run = jax.jit(lambda p, v: jax.jvp(gradient, (p,), (v,))[1])
    return Latest(lambda: run(parameters, vector)).case()


def jacobian_case(mode: str, data: Callable) -> Case:
    import jax
    import jax.numpy as jnp

    matrix, point = (jnp.asarray(array) for array in data())
    run = jax.jit(getattr(jax, mode)(lambda x: jnp.tanh(matrix @ x) ** 2))
    return Latest(lambda: run(point)).case()


JAX = Jax(
    "jax",
    "jax",
    peer=True,
    builders={
        "train": train_case,
        "scale": train_case,
        "inference": inference_case,
        "chain": chain_case,
        "scalar": scalar_case,
        "hvp": hvp_case,
        "jacobian": jacobian_case,
    },
)
