"""`gradcheck` and `gradgradcheck`: does backward agree with finite differences?

Slow mode compares every entry of every Jacobian. Fast mode compares one number per pair of input
and output, v . J u for random unit vectors u and v, and only when that fails builds the Jacobians
to say which entry is wrong. Either way a failure names the worst entry, both values, and the op
whose own check fails (`report.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.backward import grad
from ..autograd.source import warn_user
from ..autograd.value import make
from . import jacobians
from .backward_rules import (
    check_batched,
    check_batched_forward,
    check_dtypes,
    check_scales_with_weights,
    check_undefined,
    check_undefined_forward,
)
from .jacobians import (
    Array,
    Problem,
    flat_copy,
    is_complex,
    is_differentiable,
    overlaps,
    random_values,
)
from .report import GradcheckError, mismatch, no_gradient_expected


@dataclass(frozen=True)
class Options:
    """What to compare and how closely."""

    atol: float
    rtol: float
    nondet_tol: float
    undefined_grad: bool
    grad_dtypes: bool
    batched_grad: bool
    batched_forward_grad: bool
    forward_ad: bool
    backward_ad: bool
    fast: bool
    order: int = 1  # 2 when the function checked is itself a gradient
    original: Any = None  # for order 2: (func, inputs), to find the suspect op


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of `func` at `inputs` with central differences of step `eps`.

    Entries must satisfy |analytical - numerical| <= atol + rtol * |numerical|. Returns True, or
    raises GradcheckError (returns False with raise_exception=False). Use float64 inputs.

    >>> import chainrule as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradcheck(lambda x: x.sin() * x, (x,))
    True
    """
    del masked  # concerns sparse inputs, whose zeros it would leave out
    _require(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    _require(
        not check_batched_grad or check_backward_ad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    _require(
        not check_batched_forward_grad or check_forward_ad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    options = Options(
        atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
        check_batched_forward_grad, check_forward_ad, check_backward_ad, fast_mode,
    )  # fmt: skip
    return _answer(func, _as_tuple(inputs), eps, options, raise_exception)


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check second derivatives: gradcheck of the gradients of `func` (and of their weights).

    `grad_outputs` are the weights of the outputs; without them fixed random ones are taken.

    >>> import chainrule as torch
    >>> x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    >>> torch.autograd.gradgradcheck(lambda x: x.sin() * x, (x,))
    True
    """
    del masked
    _require(
        check_fwd_over_rev or check_rev_over_rev,
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True",
    )
    given = _as_tuple(inputs)
    _check_inputs(given)
    weights = _output_weights(func, given, grad_outputs, gen_non_contig_grad_outputs)
    options = Options(
        atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, check_batched_grad,
        False, check_fwd_over_rev, check_rev_over_rev, fast_mode, 2, (func, given),
    )  # fmt: skip

    def gradients(*arguments: Any) -> tuple[Any, ...]:
        own, seeds = arguments[: len(given)], arguments[len(given) :]
        outputs = [o for o in jacobians.all_outputs(func(*own)) if o._rg]
        wanted = [t for t in own if is_differentiable(t)]
        found = grad(outputs, wanted, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return _answer(gradients, given + weights, eps, options, raise_exception)


def _require(holds: bool, phrase: str) -> None:
    if not holds:
        raise AssertionError(phrase)


def _as_tuple(inputs: Any) -> tuple[Any, ...]:
    return tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)


def _answer(
    func: Any, inputs: tuple[Any, ...], eps: float, options: Options, raise_exception: bool
) -> bool:
    try:
        _check_inputs(inputs)
        _run(Problem(func, inputs, eps, options.order), options)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_inputs(inputs: Sequence[Any]) -> None:
    """The point must be differentiable in memory: own entries, enough precision."""
    found = False
    for k, t in enumerate(inputs):
        if not is_differentiable(t):
            continue
        found = True
        if t._a.dtype not in (np.float64, np.complex128):
            warn_user(
                f"Input #{k} requires gradient and is not a double precision floating point or "
                f"complex (it is {t.dtype!r}). This check will likely fail if all the inputs are "
                "not of double precision floating point or complex. Fix: pass x.double() or "
                "x.to(torch.complex128).",
            )
        if overlaps(t._a):
            raise RuntimeError(
                f"The {k}th input has a dimension with stride 0 (shape {list(t.shape)}, strides "
                f"{t.stride()}). gradcheck only supports inputs that are non-overlapping: moving "
                "one entry would move others. You should call .contiguous on the input before "
                "passing it to gradcheck."
            )
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            f"have requires_grad=True ({len(inputs)} inputs were given). Fix: create them with "
            "dtype=torch.float64, requires_grad=True."
        )


def _output_weights(
    func: Any, inputs: tuple[Any, ...], given: Any, spread: bool
) -> tuple[Any, ...]:
    """Leaves by which the outputs are weighted in a second-order check."""
    if given is not None:
        return _as_tuple(given)
    rng = np.random.default_rng(20)
    weights = []
    for o in jacobians.all_outputs(func(*inputs)):
        if not o._rg:
            continue
        values = np.asarray(random_values(rng, o._a.shape, is_complex(o)), o._a.dtype)
        if spread and values.ndim:  # every second entry of a wider array: not contiguous
            values = np.repeat(values, 2, axis=-1)[..., ::2]
        weight = make(values)
        weight._rg = True
        weights.append(weight)
    return tuple(weights)


# ---- the checks in order -------------------------------------------------------------------------


def _run(problem: Problem, options: Options) -> None:
    if not problem.wanted:
        _check_flat(problem)
        return
    compare = _fast if options.fast else _slow
    compare(problem, options)
    if options.backward_ad:
        check_scales_with_weights(problem)
        if options.grad_dtypes:
            check_dtypes(problem)
        if options.undefined_grad:
            check_undefined(problem.again())
        if options.batched_grad:
            check_batched(problem)
    if options.forward_ad and options.undefined_grad and options.order == 1:
        check_undefined_forward(problem)
    if options.batched_forward_grad:
        check_batched_forward(problem)


def _check_flat(problem: Problem) -> None:
    """No output has a history, so the function must not depend on its inputs."""
    for position, x in zip(problem.positions, problem.diff_inputs, strict=True):
        for o, (d_re, d_im) in enumerate(jacobians.numerical(problem, x)):
            for slopes in (d_re, d_im):
                if slopes is not None and np.any(slopes != 0):
                    raise no_gradient_expected(position, o, slopes)


def _parts(output: Any) -> tuple[str, ...]:
    return ("imaginary", "real") if is_complex(output) else ("real",)


def _slow(problem: Problem, options: Options) -> None:
    numbers = [jacobians.numerical(problem, x) for x in problem.diff_inputs]
    if options.backward_ad:
        for o, output in enumerate(problem.diff_outputs):
            for part in _parts(output):
                _compare_backward(problem, options, numbers, o, output, part)
    if options.forward_ad:
        for i, x in enumerate(problem.diff_inputs):
            for o, found in enumerate(jacobians.forward(problem, x)):
                for wanted, made, part in _input_parts(numbers[i][o], found):
                    if not _close(made, wanted, options):
                        named = part if is_complex(x) else ""
                        raise mismatch(problem, options, i, o, wanted, made, named, True)


def _input_parts(numbers: Any, found: Any) -> Iterator[tuple[Array, Array, str]]:
    """Pairs of slopes by the imaginary and by the real part of an input."""
    for which, part in ((1, "imaginary"), (0, "real")):
        if found[which] is not None:
            yield numbers[which], found[which], part


def _compare_backward(
    problem: Problem, options: Options, numbers: Any, o: int, output: Any, part: str
) -> None:
    found = jacobians.backward(problem, output, part)
    for i, matrix in enumerate(found):
        wanted = jacobians.of_output_part(numbers[i][o], part)
        if not _close(matrix, wanted, options):
            named = part if is_complex(output) else ""
            raise mismatch(problem, options, i, o, wanted, matrix, named, False)
    again = jacobians.backward(problem, output, part)
    _check_reentrant(found, again, options.nondet_tol)


def _close(found: Any, wanted: Any, options: Options) -> bool:
    return bool(np.allclose(found, wanted, options.rtol, options.atol))


def _check_reentrant(first: list[Any], second: list[Any], tolerance: float) -> None:
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        apart = float(np.max(np.abs(a - b), initial=0.0))
        if apart > tolerance:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output "
                "multiple times gives different values, although analytical gradient matches "
                f"numerical gradient. The tolerance for nondeterminism was {tolerance}.\n"
                f"  The gradients of input {i} differ by {apart:.3g} between two runs.\n"
                "  Fix: remove random or shared state from backward, or pass "
                f"nondet_tol={2 * apart:.1g} if the difference is intended."
            )


def _fast(problem: Problem, options: Options) -> None:
    rng = np.random.default_rng(7)
    u = [_unit(rng, x) for x in problem.diff_inputs]
    v = [_unit(rng, o) for o in problem.diff_outputs]
    slopes = [
        jacobians.differences(problem, x, d.reshape(x._a.shape))
        for x, d in zip(problem.diff_inputs, u, strict=True)
    ]
    for o, output in enumerate(problem.diff_outputs):
        if options.backward_ad:
            grads = _projected(jacobians.vjp(problem, output, v[o]), u)
            for i in range(len(u)):
                _compare_projection(problem, options, i, o, _dot(v[o], slopes[i][o]), grads[i],
                                    _slack(u[i], v[o]), False)  # fmt: skip
            again = _projected(jacobians.vjp(problem, output, v[o]), u)
            _check_reentrant(grads, again, options.nondet_tol)
    if options.forward_ad:
        for i, x in enumerate(problem.diff_inputs):
            tangents = jacobians.pushforward(problem, x, u[i].reshape(x._a.shape))
            for o, tangent in enumerate(tangents):
                _compare_projection(problem, options, i, o, _dot(v[o], slopes[i][o]),
                                    _dot(v[o], tangent), _slack(u[i], v[o]), True)  # fmt: skip


def _unit(rng: Any, t: Any) -> Array:
    values = np.asarray(random_values(rng, t._a.size, is_complex(t)))
    length = np.linalg.norm(values)
    return values / length if length else values


def _dot(a: Array, b: Array) -> float:
    """The real inner product: complex entries count as pairs of real ones."""
    return float(np.real(np.vdot(a, b)))


def _projected(grads: list[Any], u: list[Array]) -> list[float]:
    return [
        0.0 if g is None else _dot(flat_copy(g), d) for g, d in zip(grads, u, strict=True)
    ]  # fmt: skip


def _slack(u: Array, v: Array) -> float:
    """How far v . J u may be off when every entry of J is off by one: the sum of |u_i v_j|."""
    return float(_size(u) * _size(v))


def _size(x: Array) -> float:
    """The sum of absolute values; real and imaginary parts count apart."""
    return float(np.abs(np.real(x)).sum() + np.abs(np.imag(x)).sum())


def _compare_projection(
    problem: Problem, options: Options, i: int, o: int, wanted: float, found: float, slack: float,
    forward: bool,
) -> None:  # fmt: skip
    if np.isclose(found, wanted, options.rtol, options.atol * slack):
        return
    x, output = problem.diff_inputs[i], problem.diff_outputs[o]
    numbers = jacobians.numerical(problem, x)[o]
    if forward:
        pairs = list(_input_parts(numbers, jacobians.forward(problem, x)[o]))
        named = is_complex(x)
    else:
        pairs = [
            (jacobians.of_output_part(numbers, p), jacobians.backward(problem, output, p)[i], p)
            for p in _parts(output)
        ]
        named = is_complex(output)
    # Errors of entries that are within tolerance may add up: the entries decide.
    for numerical, analytical, part in pairs:
        if not _close(analytical, numerical, options):
            raise mismatch(problem, options, i, o, numerical, analytical, part if named else "",
                           forward, projection=(wanted, found))  # fmt: skip


__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


explain_module(globals(), "gradcheck", "gradgradcheck")
