"""Run one program in every way and compare.

A program that is no valid use of autograd (it writes over a value that backward needs) is told by
its own error; it must then fail in backward and in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import chainrule

from ...script import Disagreement, code_generation
from .generate import INPUTS, Program

RTOL, ATOL = 1e-6, 1e-8
FD_RTOL, FD_ATOL = 2e-4, 2e-6


class Invalid(Exception):
    """The program modifies in place what its gradient needs."""


def function_of(program: Program, torch: Any) -> Callable[..., Any]:
    """The program as a function of its three inputs."""
    body = "\n".join("    " + line for line in program.lines)
    source = f"def f({', '.join(INPUTS)}):\n{body}\n    return out\n"
    space: dict[str, Any] = {"torch": torch}
    exec(compile(source, f"<program {program.seed}>", "exec"), space)
    return space["f"]


def same(way: str, got: Any, want: Any, rtol: float = RTOL, atol: float = ATOL) -> None:
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or not np.allclose(got, want, rtol, atol, equal_nan=True):
        raise Disagreement(way, got, want)


def leaves(torch: Any, arrays: list[np.ndarray]) -> list[Any]:
    return [torch.tensor(a).requires_grad_() for a in arrays]


def values(tensors: Any) -> list[np.ndarray]:
    return [np.asarray(t.detach().resolve_conj().numpy()) for t in tensors]


def reverse(f: Any, torch: Any, arrays: list[np.ndarray], create: bool = False) -> Any:
    """(value, gradients) by the tape."""
    xs = leaves(torch, arrays)
    out = f(*xs)
    try:
        grads = torch.autograd.grad(out, xs, create_graph=create, allow_unused=True)
    except RuntimeError as problem:
        if "modified by an inplace operation" in str(problem):
            raise Invalid from None
        raise
    grads = [torch.zeros_like(x) if g is None else g for g, x in zip(grads, xs, strict=True)]
    return out.item(), grads, xs


def check(
    program: Program,
    torch: Any = chainrule,
    *,
    oracle: Any = None,
    every_way: bool = False,
    compiled: bool | None = None,
) -> str:
    """Compare all ways; returns 'ok' or 'invalid', raises Disagreement.

    The expensive ways (second order, batches, compiled) take turns by seed, unless `every_way`.
    """
    turn = None if every_way else program.seed % 3
    if compiled is None:
        compiled = every_way or program.seed % 15 == 2  # seconds for hundreds of programs
    f = function_of(program, torch)
    arrays = program.arrays()
    try:
        value, grads, _ = reverse(f, torch, arrays)
    except Invalid:
        return "invalid"
    if not np.isfinite(value):
        return "invalid"
    first = values(grads)
    steepness = sum(float(np.abs(g * x).sum()) for g, x in zip(first, arrays, strict=True))
    if not steepness < 1e4:
        return "invalid"  # rounding alone would make the ways differ
    rng = np.random.default_rng(program.seed + 1)
    tangents = [rng.normal(size=a.shape).astype(a.dtype) for a in arrays]
    with unless_modified():
        check_first_order(program, f, torch, arrays, tangents, value, first)
    if turn in (None, 0):
        with unless_modified():
            check_second_order(program, f, torch, arrays, tangents)
    if turn in (None, 1):
        with unless_modified():
            check_batches(f, torch, program, first)
    if compiled and turn in (None, 2):
        with unless_modified():
            check_compiled(program, torch, arrays, value, first)
    if oracle is not None:
        check_oracle(program, oracle, arrays, value, first)
    return "ok"


@contextmanager
def unless_modified() -> Iterator[None]:
    """A transform may save what the tape does without, and find it written over; it says so.

    So does a function that has no tangents, or no second derivative.
    """
    try:
        yield
    except RuntimeError as problem:  # NotImplementedError is one
        if not re.search("modified by an inplace operation|is not implemented", str(problem)):
            raise


def check_first_order(
    program: Program, f: Any, torch: Any, arrays: Any, tangents: Any, value: float, first: Any
) -> None:
    from chainrule.func import grad, jvp

    v2, g2, _ = reverse(f, torch, arrays, create=True)
    same("create_graph value", v2, value)
    for k, (a, b) in enumerate(zip(values(g2), first, strict=True)):
        same(f"create_graph gradient {k}", a, b)
    xs = [torch.tensor(a) for a in arrays]
    g3 = grad(f, argnums=(0, 1, 2))(*xs)
    for k, (a, b) in enumerate(zip(values(g3), first, strict=True)):
        same(f"func.grad {k}", a, b)
    along = sum(np.sum(np.real(np.conj(g) * t)) for g, t in zip(first, tangents, strict=True))
    out, moved = jvp(f, tuple(xs), tuple(torch.tensor(t) for t in tangents))
    same("jvp value", out.item(), value)
    same("jvp", moved.item(), along)
    if not program.complex_inputs:
        numeric = difference(f, torch, arrays, tangents)
        closer = difference(f, torch, arrays, tangents, 2.5e-6)
        # Where the two steps disagree the function is too steep for differences to judge.
        bound = FD_ATOL * (1 + abs(value))
        agrees = np.isclose(along, numeric, FD_RTOL, bound)
        if np.isclose(numeric, closer, FD_RTOL / 4, FD_ATOL) and not agrees:
            # Just beside a kink, such as a leaky_relu of exactly 0, the differences are others.
            beside = [a + 1e-4 * t for a, t in zip(arrays, tangents, strict=True)]
            if np.isclose(difference(f, torch, beside, tangents), numeric, 1e-2, 1e-3):
                same("finite differences", along, numeric, FD_RTOL, bound)


def difference(f: Any, torch: Any, arrays: Any, tangents: Any, eps: float = 1e-5) -> float:
    """Fourth-order central difference along a direction."""

    def at(h: float) -> float:
        moved = (torch.tensor(a + h * t) for a, t in zip(arrays, tangents, strict=True))
        return f(*moved).item()

    return (8 * (at(eps) - at(-eps)) - (at(2 * eps) - at(-2 * eps))) / (12 * eps)


def check_second_order(program: Program, f: Any, torch: Any, arrays: Any, tangents: Any) -> None:
    """Hessian times vector: reverse over reverse, forward over reverse, reverse over forward."""
    from chainrule.func import grad, jvp

    xs = tuple(torch.tensor(a) for a in arrays)
    ts = tuple(torch.tensor(t) for t in tangents)
    gradient = grad(f, argnums=(0, 1, 2))
    forward = jvp(lambda *x: gradient(*x), xs, ts)[1]
    backward = grad(lambda *x: jvp(f, x, ts)[1], argnums=(0, 1, 2))(*xs)
    _, g, inputs = reverse(f, torch, arrays, create=True)
    dot: Any = sum((a.conj() * t).real.sum() for a, t in zip(g, ts, strict=True))
    double = [None] * 3
    if dot.requires_grad:
        double = list(torch.autograd.grad(dot, inputs, allow_unused=True))
    for k in range(3):
        want = np.asarray(forward[k].resolve_conj().numpy())
        scale = 1 + float(np.abs(want).max(initial=0.0))
        back = np.asarray(backward[k].resolve_conj().numpy())
        two = np.zeros_like(want) if double[k] is None else values([double[k]])[0]
        if np.isnan(back).any() or np.isnan(two).any():
            continue  # 0 times infinity, on one way and not on another
        same(f"reverse over forward {k}", back, want, 1e-6, 1e-7 * scale)
        same(f"reverse over reverse {k}", two, want, 1e-6, 1e-7 * scale)


def check_batches(f: Any, torch: Any, program: Program, first: Any) -> None:
    from chainrule.func import grad, vmap

    batch = [program.arrays(program.seed), program.arrays(program.seed + 7)]
    xs = tuple(torch.tensor(np.stack(column)) for column in zip(*batch, strict=True))
    made = vmap(f)(*xs)
    for k, arrays in enumerate(batch):
        want = f(*(torch.tensor(a) for a in arrays)).item()
        same(f"vmap example {k}", made[k].item(), want)
    if program.seed % 2 == 0:
        grads = vmap(grad(f, argnums=(0, 1, 2)))(*xs)
        for k, (a, b) in enumerate(zip(grads, first, strict=True)):
            same(f"vmap(grad) {k}", values([a])[0][0], b)


def check_compiled(program: Program, torch: Any, arrays: Any, value: float, first: Any) -> None:
    """As one program with its gradients, compiled and interpreted; or differentiated outside."""
    f = function_of(program, torch)
    used = torch.autograd.grad(f(*(xs := leaves(torch, arrays))), xs, allow_unused=True)
    wanted = [k for k, g in enumerate(used) if g is not None]
    if program.seed % 2:
        check_outside(program, f, torch, arrays, first, wanted)
        return

    def step(x0: Any, x1: Any, x2: Any) -> Any:
        out = f(x0, x1, x2)
        grads = torch.autograd.grad(out, [x0, x1, x2], allow_unused=True)
        return [out.detach(), *(g for g in grads if g is not None)]

    for way in ("compiled", "interpreted"):
        with code_generation(way == "compiled"):
            made = _after_captures(torch.compile(step), torch, arrays)
        same(f"{way} value", made[0].item(), value)
        for k, a in zip(wanted, values(made[1:]), strict=True):
            same(f"{way} gradient {k}", a, first[k])


def check_outside(
    program: Program, f: Any, torch: Any, arrays: Any, first: Any, wanted: list[int]
) -> None:
    """The compiled function in an eager program that differentiates it."""
    outside = torch.compile(f)
    create = program.seed % 4 == 1

    def backward(*xs: Any) -> Any:
        out = outside(*xs)
        return torch.autograd.grad(out, xs, create_graph=create, allow_unused=True)

    found = _after_captures(backward, torch, arrays)
    for k in wanted:
        same(f"gradient {k} outside", values([found[k]])[0], first[k])
    if create:
        check_second_outside(f, torch, arrays, outside, wanted)


def check_second_outside(f: Any, torch: Any, arrays: Any, outside: Any, wanted: list[int]) -> None:
    """Second derivatives through the compiled function and through the function itself."""

    def second(function: Any) -> list[np.ndarray]:
        xs = leaves(torch, arrays)
        found = torch.autograd.grad(function(*xs), xs, create_graph=True, allow_unused=True)
        total = sum((found[k].abs() ** 2).sum() for k in wanted)
        if not getattr(total, "requires_grad", False):
            return []
        grads = torch.autograd.grad(total, xs, allow_unused=True)
        return values([torch.zeros_like(x) if g is None else g for g, x in zip(grads, xs)])  # noqa: B905

    try:
        want = second(f)
    except RuntimeError as problem:
        if "modified by an inplace operation" in str(problem):
            return
        raise
    for k, (a, b) in enumerate(zip(second(outside), want, strict=True)):
        same(f"second derivative {k} outside", a, b, 1e-5, 1e-6)


def _after_captures(function: Any, torch: Any, arrays: Any) -> Any:
    """The result for these inputs after calls with others: nothing of those may have stayed."""
    for k in (1.03, 0.98, 1.01):
        function(*leaves(torch, [(a * k).astype(a.dtype) for a in arrays]))
    return function(*leaves(torch, arrays))


def check_oracle(program: Program, oracle: Any, arrays: Any, value: float, first: Any) -> None:
    """The same program in PyTorch."""
    f = function_of(program, oracle)
    try:
        theirs, grads, _ = reverse(f, oracle, arrays)
    except Invalid:
        return  # PyTorch saves more than we do here
    same("PyTorch value", value, theirs)
    for k, (a, b) in enumerate(zip(first, values(grads), strict=True)):
        same(f"PyTorch gradient {k}", a, b)
