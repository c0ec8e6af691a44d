"""The control: the same arithmetic in bare NumPy, by hand, without any engine.

It shows the floor (no engine on NumPy can be faster than its arithmetic), and if its figure moves
between two runs, the machine moved and not the engines.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..case import Case, Repeated, digest, sample
from ..workloads.mlp import example_batch, initial_parameters
from ..workloads.ops import MATRICES
from .base import Counterparts


def op_case(op: str, elements: int, part: str) -> Case | None:
    if part == "backward":
        return None
    run = bare_op(op, elements)
    return Repeated(run, lambda: digest([run()]))


def bare_op(name: str, n: int) -> Callable[[], Any]:
    a, b = sample(1, n), sample(2, n)
    rows, columns = MATRICES[n]
    left, right = sample(1, rows, columns), sample(2, columns, rows)
    index = np.array([0, *range(0, n, 2)])
    start, stop = (0, 1) if n == 1 else (1, 3)
    return {
        "add": lambda: a + b,
        "mul": lambda: a * b,
        "tanh": lambda: np.tanh(a),
        "matmul": lambda: left @ right,
        "sum": lambda: a.sum(),
        "x[1:3]": lambda: a[start:stop],
        "x[0]": lambda: a[0],
        "x[tensor]": lambda: a[index],
        "view": lambda: a.reshape(n, 1),
    }[name]


def mlp(sizes: tuple[int, ...], batch: int, spelling: str) -> Case:
    """Forward and backward written out, as one would without automatic differentiation."""
    inputs, targets, classes = example_batch(sizes, batch)
    arrays = initial_parameters(sizes)
    weights, biases = arrays[::2], arrays[1::2]
    squared = spelling == "ops"

    def step() -> tuple[Any, list[Any]]:
        hidden = [inputs]
        for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
            z = hidden[-1] @ weight.T + bias
            hidden.append(np.tanh(z, out=z) if squared else np.maximum(z, 0, out=z))
        out = hidden[-1] @ weights[-1].T + biases[-1]
        loss, g = squared_error(out, targets) if squared else cross_entropy(out, classes)
        gradients = []
        for layer in reversed(range(len(weights))):
            gradients += [g.sum(axis=0), g.T @ hidden[layer]]
            if layer:
                h = hidden[layer]
                g = g @ weights[layer]
                g *= (1 - h * h) if squared else (h > 0)
        return loss, gradients[::-1]

    def values() -> list[float]:
        loss, gradients = step()
        return digest([loss, *gradients])

    return Repeated(step, values)


def squared_error(out: Any, targets: Any) -> tuple[Any, Any]:
    difference = out - targets
    return np.square(difference).mean(), difference * (2 / difference.size)


def cross_entropy(out: Any, classes: Any) -> tuple[Any, Any]:
    rows = np.arange(len(out))
    shifted = out - out.max(axis=1, keepdims=True)
    probabilities = np.exp(shifted)
    total = probabilities.sum(axis=1, keepdims=True)
    loss = (np.log(total[:, 0]) - shifted[rows, classes]).mean()
    probabilities /= total
    probabilities[rows, classes] -= 1
    probabilities /= len(out)
    return loss, probabilities


# Nothing for the backward of one op, or for modes: a bare counterpart would say nothing.
CONTROL = Counterparts("control", "numpy", builders={"op": op_case, "mlp": mlp})
