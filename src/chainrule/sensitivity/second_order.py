"""Second derivatives: the tape replayed on tensors, so that the engine differentiates it twice."""

from __future__ import annotations

import numpy as np

from ..autograd.backward import grad
from ..autograd.value import make
from .tape import Tape


def hessian(tape: Tape, output: int, inputs: list[int]) -> np.ndarray:
    """The matrix of second derivatives of one number by the inputs."""
    import chainrule  # noqa: F401 - the namespace has the ops as tensors run them

    tensors: dict[int, object] = {}
    for index in inputs:
        tensors[index] = make(np.asarray(tape.entries[index].value, np.float64))
        tensors[index]._rg = True  # type: ignore[attr-defined]
    result = _replayed(tape, output, tensors)
    leaves = [tensors[k] for k in inputs]
    matrix = np.zeros((len(inputs), len(inputs)))
    with np.errstate(all="ignore"):
        first = grad(result, leaves, create_graph=True, allow_unused=True, materialize_grads=True)
        for row, slope in enumerate(first):
            if slope._node is None:  # the slope is a number: it does not bend
                continue
            second = grad(
                slope, leaves, retain_graph=True, allow_unused=True, materialize_grads=True
            )
            matrix[row] = [float(s._a) for s in second]
    return (matrix + matrix.T) / 2


def _replayed(tape: Tape, output: int, tensors: dict[int, object]) -> object:
    from ..autograd.dispatch import TENSORS

    for index in range(output + 1):
        entry = tape.entries[index]
        if index in tensors or entry.op is None:
            continue
        arguments = [
            make(np.asarray(number, np.float64)) if parent is None else tensors[parent]
            for parent, number in zip(entry.parents, entry.numbers, strict=True)
        ]
        tensors[index] = TENSORS.function(entry.op.name)(*arguments)
    return tensors[output]
