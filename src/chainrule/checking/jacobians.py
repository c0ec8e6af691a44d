"""Jacobians three ways, for gradcheck: by finite differences, by backward, by forward mode.

A Jacobian here is an array [entries of the input, entries of the output], as PyTorch's gradcheck
prints it. A complex input counts as two real ones: its row is d/d re + i * d/d im, which is what
backward returns for a real output. Complex outputs are taken apart into real and imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.lazy import aligned, memory
from ..autograd.value import TensorBase, make

Array = np.ndarray


class Problem:
    """A function at a point: the inputs to differentiate and the outputs that can be."""

    def __init__(
        self, func: Callable[..., Any], inputs: tuple[Any, ...], eps: float, order: int = 1
    ) -> None:
        self.func = func
        self.inputs = inputs
        self.eps = eps
        self.order = order  # 2: the function takes gradients itself, so its inputs require grad
        self.positions = [k for k, t in enumerate(inputs) if is_differentiable(t)]
        self.outputs = all_outputs(func(*inputs))
        self.wanted = [k for k, o in enumerate(self.outputs) if o._rg]

    @property
    def diff_inputs(self) -> list[Any]:
        return [self.inputs[k] for k in self.positions]

    @property
    def diff_outputs(self) -> list[Any]:
        return [self.outputs[k] for k in self.wanted]

    def again(self) -> Problem:
        """The same problem with a fresh graph."""
        return Problem(self.func, self.inputs, self.eps, self.order)

    def values(self) -> list[Array]:
        """The wanted outputs' values now, copied: an output may share memory with an input."""
        outputs = all_outputs(self.func(*self.inputs))
        self._check_alike(outputs)
        return [flat_copy(o) for o in self._select(outputs)]

    def _check_alike(self, outputs: Sequence[Any]) -> None:
        """A step of eps may change an output's values, nothing else about it."""
        for k, (now, then) in enumerate(zip(outputs, self.outputs, strict=False)):
            for what, a, b in (
                ("shape", tuple(now.shape), tuple(then.shape)), ("dtype", now.dtype, then.dtype),
            ):  # fmt: skip
                if a != b:
                    raise AssertionError(
                        f"Expected `func` to return outputs with the same {what} when inputs are "
                        f"perturbed within [x-{self.eps}, x+{self.eps}], but output {k} has {a} "
                        f"there and {b} at x"
                    )

    def _select(self, outputs: Sequence[Any]) -> list[Any]:
        return [outputs[k] for k in (self.wanted or floating_positions(outputs))]


def is_differentiable(t: Any) -> bool:
    """Whether gradcheck differentiates with respect to this argument."""
    return isinstance(t, TensorBase) and t._rg and t.dtype.category >= 2  # type: ignore[attr-defined]


def overlaps(array: Array) -> bool:
    """Whether entries share memory along an expanded dimension; an empty array has none to share
    (and NumPy may give it any strides)."""
    pairs = zip(array.shape, array.strides, strict=True)
    return array.size > 0 and any(n > 1 and stride == 0 for n, stride in pairs)


def all_outputs(result: Any) -> list[Any]:
    """A function's result as a list of tensors."""
    outputs = list(result) if isinstance(result, tuple | list) else [result]
    for k, o in enumerate(outputs):
        if not isinstance(o, TensorBase):
            raise TypeError(
                f"gradcheck: output {k} of the function is {o!r} of type {type(o).__name__}, which "
                "has no requires_grad: the function must return a tensor or a tuple of tensors"
            )
    return outputs


def floating_positions(outputs: Sequence[Any]) -> list[int]:
    """Outputs whose values can change smoothly."""
    return [k for k, o in enumerate(outputs) if o.dtype.category >= 2]


def flat_copy(t: Any) -> Array:
    """A tensor's values as one row of float64 or complex128."""
    while isinstance(t, TensorBase):
        t = t._a
    wide = np.complex128 if t.dtype.kind == "c" else np.float64
    return np.array(t, dtype=wide).reshape(-1)


def is_complex(t: Any) -> bool:
    return t._a.dtype.kind == "c"


def random_values(rng: Any, shape: Any, with_imaginary: bool) -> Array:
    """Standard normal values, complex when asked."""
    values = rng.standard_normal(shape)
    return values + 1j * rng.standard_normal(shape) if with_imaginary else values


# ---- finite differences --------------------------------------------------------------------------


def differences(problem: Problem, x: Any, direction: Array, sides: str = "central") -> list[Array]:
    """Per output: the slope of the function when x moves along `direction` (shaped like x).

    x is changed in place and put back, so that functions that use it by closure see the change.
    """
    array, eps = memory(x), problem.eps
    original = array.copy()
    step = aligned(eps * direction, x._lazy, array.dtype)
    try:
        high = low = None
        if sides != "left":
            array[...] = original + step
            high = problem.values()
        if sides != "right":
            array[...] = original - step
            low = problem.values()
        array[...] = original
        middle = problem.values() if sides != "central" else None
    finally:
        array[...] = original
    high, low = high or middle, low or middle
    width = 2 * eps if sides == "central" else eps
    return [(h - b) / width for h, b in zip(high or [], low or [], strict=True)]


def numerical(problem: Problem, x: Any) -> list[tuple[Array, Array | None]]:
    """Per output: (d out / d re x, d out / d im x or None), one row per entry of x."""
    parts: list[list[list[Array]]] = []
    for unit in (1.0, 1j) if is_complex(x) else (1.0,):
        rows = []
        for k in range(x._a.size):
            direction = np.zeros(x._a.size, np.complex128 if is_complex(x) else np.float64)
            direction[k] = unit
            rows.append(differences(problem, x, direction.reshape(x._a.shape)))
        parts.append(rows)
    made = []
    for o in range(len(problem.wanted) or len(floating_positions(problem.outputs))):
        both = [_rows([row[o] for row in rows], problem, o) for rows in parts]
        made.append((both[0], both[1] if len(both) > 1 else None))
    return made


def _rows(rows: list[Array], problem: Problem, output: int) -> Array:
    if rows:
        return np.stack(rows)
    return np.zeros((0, problem._select(problem.outputs)[output]._a.size))


def of_output_part(pair: tuple[Array, Array | None], part: str) -> Array:
    """The Jacobian of an output's real or imaginary part, as backward gives it."""
    take = np.real if part == "real" else np.imag
    d_re, d_im = pair
    return take(d_re) if d_im is None else take(d_re) + 1j * take(d_im)


# ---- backward and forward ------------------------------------------------------------------------


def vjp(problem: Problem, output: Any, weights: Array) -> list[Any]:
    """The gradients of sum(weights * output) for every input, None where unused."""
    g = make(weights.reshape(output._a.shape).astype(output._a.dtype))
    return list(grad(output, problem.diff_inputs, g, retain_graph=True, allow_unused=True))


def backward(problem: Problem, output: Any, part: str) -> list[Array]:
    """Per input: the Jacobian of an output's real or imaginary part, one backward per column."""
    size = output._a.size
    inputs = problem.diff_inputs
    made = [
        np.zeros((x._a.size, size), np.complex128 if is_complex(x) else np.float64) for x in inputs
    ]
    for j in range(size):
        weights = np.zeros(size, np.complex128 if is_complex(output) else np.float64)
        weights[j] = 1j if part == "imaginary" else 1.0
        for matrix, g in zip(made, vjp(problem, output, weights), strict=True):
            if g is not None:
                matrix[:, j] = flat_copy(g)
    return made


def forward(problem: Problem, x: Any) -> list[tuple[Array, Array | None]]:
    """As `numerical`, by dual numbers: one forward pass per row."""
    parts = []
    for unit in (1.0, 1j) if is_complex(x) else (1.0,):
        rows = []
        for k in range(x._a.size):
            direction = np.zeros(x._a.size, x._a.dtype)
            direction[k] = unit
            rows.append(pushforward(problem, x, direction.reshape(x._a.shape)))
        parts.append(rows)
    made = []
    for o in range(len(problem.wanted)):
        both = [_rows([row[o] for row in rows], problem, o) for rows in parts]
        made.append((both[0], both[1] if len(both) > 1 else None))
    return made


def pushforward(problem: Problem, x: Any, direction: Array) -> list[Array]:
    """Per output: its tangent when x has the given tangent."""
    from ..autograd.forward_ad import dual_level, make_dual, unpack_dual

    tangent = make(direction.astype(x._a.dtype))
    leaves = [dual_input(problem, t) for t in problem.inputs]
    with dual_level():
        pairs = zip(problem.inputs, leaves, strict=True)
        arguments = [make_dual(leaf, tangent) if t is x else leaf for t, leaf in pairs]
        outputs = all_outputs(problem.func(*arguments))
        return [
            np.zeros(outputs[k].numel()) if t is None else flat_copy(t)
            for k in problem.wanted
            for t in [unpack_dual(outputs[k]).tangent]
        ]


def fresh_leaf(t: Any) -> Any:
    """The input without its history; still a leaf that gradients can be taken for."""
    return t.detach().requires_grad_() if is_differentiable(t) else t


def dual_input(problem: Problem, t: Any) -> Any:
    """An input without its history, for forward mode; it records only where gradients are taken."""
    if problem.order > 1:
        return fresh_leaf(t)
    return t.detach() if is_differentiable(t) else t
