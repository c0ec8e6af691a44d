"""What else gradcheck asks of a backward: linear in its weights, defined for None, batchable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.backward import grad
from ..autograd.node import Node, OutSlot
from ..autograd.value import make
from . import jacobians
from .jacobians import Array, Problem, flat_copy, is_complex, random_values
from .report import GradcheckError


def check_scales_with_weights(problem: Problem) -> None:
    """Gradients are linear in the outputs' weights, so zero weights give zero."""
    for o, output in enumerate(problem.diff_outputs):
        zeros = np.zeros(output._a.size, output._a.dtype)
        for position, g in zip(
            problem.positions, jacobians.vjp(problem, output, zeros), strict=True
        ):
            if g is not None and np.any(flat_copy(g) != 0):
                raise GradcheckError(
                    "backward not multiplied by grad_output\n"
                    f"  For a zero gradient at output {o} the gradient of input {position} has an "
                    f"entry {flat_copy(g)[np.argmax(flat_copy(g) != 0)]}; it must be 0.\n"
                    "  Fix: a backward returns grad_output times the local derivative."
                )


def check_dtypes(problem: Problem) -> None:
    for output in problem.diff_outputs:
        found = jacobians.vjp(problem, output, np.ones(output._a.size))
        for position, x, g in zip(problem.positions, problem.diff_inputs, found, strict=True):
            if g is not None and g.dtype is not x.dtype:
                raise GradcheckError(
                    f"Gradient has dtype mismatch: input {position} is {x.dtype!r}, its gradient "
                    f"{g.dtype!r}"
                )


def check_undefined(problem: Problem) -> None:
    """Custom functions must accept None for an output nobody used."""
    for node in _custom_nodes(problem.diff_outputs):
        count = len(node.meta)
        try:
            found = node.vjp([None] * count, node.parents)
        except Exception as problem_seen:
            raise GradcheckError(
                "Expected backward function to handle undefined output grads: "
                f"{node.name()}.backward(ctx, {', '.join(['None'] * count)}) raised "
                f"{type(problem_seen).__name__}: {problem_seen}\n  recorded at {node.where()}\n"
                "  Fix: return None for None, do not call ctx.set_materialize_grads(False), or "
                "pass check_undefined_grad=False."
            ) from problem_seen
        for k, g in enumerate(found):
            if g is not None and np.any(np.asarray(g) != 0):
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are "
                    f"undefined or zero: {node.name()} returned a gradient for its argument {k} "
                    f"(recorded at {node.where()})"
                )


def _custom_nodes(outputs: list[Any]) -> list[Any]:
    """The nodes of custom functions in a graph whose levels are plain."""
    seen: set[int] = set()
    found = []
    stack = [o._node for o in outputs]
    while stack:
        node = stack.pop()
        node = node.node if isinstance(node, OutSlot) else node
        if not isinstance(node, Node) or node.key in seen:
            continue
        seen.add(node.key)
        if node.op is None and getattr(node, "_function", None) is not None:
            found.append(node)
        stack.extend(node.parents)
    return found


def check_batched(problem: Problem) -> None:
    """Backward for a batch of weights must equal the backwards one by one."""
    rng = np.random.default_rng(11)
    for o, output in enumerate(problem.diff_outputs):
        batch = random_values(rng, (2, output._a.size), is_complex(output))
        expected = [jacobians.vjp(problem, output, w) for w in batch]
        weights = make(batch.reshape(2, *output._a.shape).astype(output._a.dtype))
        with _explained_as_batching("batched gradient computation", "check_batched_grad"):
            found = grad(output, problem.diff_inputs, weights, retain_graph=True,
                         allow_unused=True, is_grads_batched=True)  # fmt: skip
        for i, position in enumerate(problem.positions):
            rows = [_zeros_if_none(e[i], problem.diff_inputs[i]) for e in expected]
            _compare_batches(found[i], np.stack(rows), o, position, "check_batched_grad")


def check_batched_forward(problem: Problem) -> None:
    """Forward mode for a batch of tangents must equal the passes one by one."""
    from ..autograd.transforms import jvp
    from ..autograd.vmap import vmap

    rng = np.random.default_rng(13)
    for i, x in enumerate(problem.diff_inputs):
        batch = random_values(rng, (2, *x._a.shape), is_complex(x))
        expected = [jacobians.pushforward(problem, x, t) for t in batch]

        def one(tangent: Any, place: int = problem.positions[i]) -> tuple[Any, ...]:
            def of_input(moved: Any) -> tuple[Any, ...]:
                arguments = list(problem.inputs)
                arguments[place] = moved
                outputs = jacobians.all_outputs(problem.func(*arguments))
                return tuple(outputs[k] for k in problem.wanted)

            return jvp(of_input, (problem.inputs[place].detach(),), (tangent,))[1]

        name = "check_batched_forward_grad"
        with _explained_as_batching("batched forward-mode computation", name):
            found = vmap(one)(make(batch.astype(x._a.dtype)))
        for o in range(len(problem.wanted)):
            rows = np.stack([e[o] for e in expected])
            _compare_batches(found[o], rows, o, problem.positions[i], name)


def check_undefined_forward(problem: Problem) -> None:
    """An input without a tangent must count as one whose tangent is zero."""
    from ..autograd.forward_ad import dual_level, make_dual, unpack_dual

    rng = np.random.default_rng(17)
    with dual_level():
        plain = [jacobians.dual_input(problem, t) for t in problem.inputs]
        moved = list(plain)
        for k in problem.positions:
            a = plain[k]._a
            tangent = random_values(rng, a.shape, a.dtype.kind == "c").astype(a.dtype)
            moved[k] = make_dual(plain[k], make(tangent))
        for k in problem.positions:
            zero = make_dual(plain[k], make(np.zeros_like(plain[k]._a)))
            pair = [
                jacobians.all_outputs(problem.func(*moved[:k], x, *moved[k + 1 :]))
                for x in (zero, plain[k])
            ]
            for o in problem.wanted:
                a, b = (unpack_dual(outputs[o]).tangent for outputs in pair)
                if a is not None and b is not None and not np.allclose(flat_copy(a), flat_copy(b)):
                    raise GradcheckError(
                        f"Mismatch in tangent values for output with index: {o} when input: {k} "
                        f"has an undefined tangent value. Got {flat_copy(a)} for a tangent of "
                        f"zeros, but {flat_copy(b)} without one."
                    )


def _zeros_if_none(g: Any, like: Any) -> Array:
    return np.zeros(like._a.size) if g is None else flat_copy(g)


def _compare_batches(found: Any, expected: Array, o: int, i: int, option: str) -> None:
    rows = np.zeros_like(expected) if found is None else flat_copy(found).reshape(expected.shape)
    if not np.allclose(rows, expected, 1e-5, 1e-8, equal_nan=True):
        k = int(np.argmax(np.abs(rows - expected).max(axis=1)))
        raise GradcheckError(
            f"For output {o} and input {i}:\n\ngradcheck or gradgradcheck failed while testing "
            f"batched gradient computation.\n  Row {k} of the batch gives {rows[k]}, computed "
            f"alone it is {expected[k]}.\n  Fix: an op in the backward treats the batch dimension "
            f"as data; pass {option}=False to leave this check out."
        )


class _explained_as_batching:
    """Turns an error of a batched pass into a GradcheckError that says so."""

    def __init__(self, what: str, option: str) -> None:
        self.what, self.option = what, option

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, problem: Any, trace: Any) -> None:
        if problem is not None and isinstance(problem, Exception):
            if "random operation" in str(problem):
                problem = (
                    "vmap: We do not yet support calling random operations inside of vmap when "
                    f"gradients are checked: draw outside of the function. ({problem})"
                )
            raise GradcheckError(
                f"While computing batched gradients, got: {problem}\n\ngradcheck or gradgradcheck "
                f"failed while testing {self.what}.\n  Fix: pass {self.option}=False, or write the "
                "backward in tensor operations that do not look at values."
            ) from None
