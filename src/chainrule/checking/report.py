"""What gradcheck says when it fails: the worst entry, both values, why, and which op to look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.value import make
from .jacobians import Array, Problem, differences, floating_positions
from .places import number, place
from .suspects import describe_suspects


class GradcheckError(RuntimeError):
    """Raised by gradcheck and gradgradcheck when a derivative is wrong."""


def mismatch(
    problem: Problem, options: Any, i: int, o: int, numerical: Array, analytical: Array,
    part: str, forward: bool, projection: tuple[float, float] | None = None,
) -> GradcheckError:  # fmt: skip
    """The error for one pair of Jacobians; `part` names the half of a complex value looked at."""
    position, output = problem.positions[i], problem.wanted[o]
    parts = f"the {part} part of complex {'inputs' if forward else 'outputs'}" if part else ""
    mode = " computed with forward mode" if forward else ""
    lines = [
        (f"While considering {parts} only, " if parts else "")
        + f"Jacobian{mode} mismatch for output {output} with respect to input {position},"
    ]
    if projection is not None:
        lines += _fast_mode_lines(*projection)
    lines += [
        f"numerical:{make(np.ascontiguousarray(numerical))!r}",
        f"analytical:{make(np.ascontiguousarray(analytical))!r}",
        "",
    ]
    x, y = problem.diff_inputs[i], problem.diff_outputs[o]
    row, column = _worst(numerical, analytical, options)
    lines += _worst_entry(numerical, analytical, row, column, x, y, position, output, options)
    lines += _reasons(problem, i, o, row, column, options, forward)
    return GradcheckError("\n".join(lines) + "\n")


def _fast_mode_lines(numerical: float, analytical: float) -> list[str]:
    return [
        f"numerical:{numerical!r}",
        f"analytical:{analytical!r}",
        "",
        "The above quantities relating the numerical and analytical jacobians are computed in fast "
        "mode: v . J u for random unit vectors u and v. Below, both Jacobians are computed entry "
        "by entry (slow mode):",
        "",
    ]


def _worst(numerical: Array, analytical: Array, options: Any) -> tuple[int, int]:
    """The entry that exceeds its tolerance most; an entry that is not finite comes first."""
    allowed = options.atol + options.rtol * np.abs(numerical)
    excess = np.abs(analytical - numerical) / allowed
    excess = np.where(np.isnan(excess), np.inf, excess)
    return tuple(int(k) for k in np.unravel_index(int(np.argmax(excess)), excess.shape))  # type: ignore[return-value]


def _worst_entry(
    numerical: Array, analytical: Array, row: int, column: int, x: Any, y: Any, position: int,
    output: int, options: Any,
) -> list[str]:  # fmt: skip
    n, a = numerical[row, column], analytical[row, column]
    size = max(abs(n), abs(a))
    relative = abs(a - n) / size if size else 0.0
    allowed = options.atol + options.rtol * abs(n)
    wrong = ~np.isclose(analytical, numerical, options.rtol, options.atol, equal_nan=True)
    of_what = place("output", output, column, tuple(y.shape))
    by_what = place("input", position, row, tuple(x.shape))
    lines = [
        f"worst entry: d {of_what} / d {by_what}",
        f"  numerical   {number(n)}",
        f"  analytical  {number(a)}",
        f"  difference  {abs(a - n):.4g}, relative {relative:.3g}; allowed {allowed:.3g} "
        f"(atol {options.atol:g} + rtol {options.rtol:g} * |numerical|)",
        f"  {int(wrong.sum())} of {wrong.size} entries are wrong",
    ]
    return lines


def _reasons(
    problem: Problem, i: int, o: int, row: int, column: int, options: Any, forward: bool
) -> list[str]:
    """Why it may be so, from the most to the least certain."""
    x = problem.diff_inputs[i]
    if x._a.dtype not in (np.float64, np.complex128):
        return [
            f"reason: the input is {x.dtype!r}, and differences of step {problem.eps:g} drown in "
            "its rounding. Fix: check in float64 (x.double())."
        ]
    kink = kink_at(problem, x, o, row, column)
    if kink is not None:
        return [kink]
    return describe_suspects(problem, options, forward)


def kink_at(problem: Problem, x: Any, o: int, row: int, column: int) -> str | None:
    """A sentence when the slopes from the left and from the right differ at this entry."""
    direction = np.zeros(x._a.size)
    direction[row] = 1.0
    direction = direction.reshape(x._a.shape)
    left = differences(problem, x, direction, "left")[o][column]
    right = differences(problem, x, direction, "right")[o][column]
    # One-sided slopes of a smooth function differ by about eps times its curvature.
    if not np.isfinite(left) or not np.isfinite(right):
        return None
    if abs(left - right) <= 1e-3 * max(abs(left), abs(right)) + 1e-4:
        return None
    jump = max(abs(left), abs(right)) * problem.eps
    what = f"a jump of about {jump:.3g}" if jump > 1e-3 else "a kink"
    return (
        f"reason: the function has {what} at this point: its slope is {number(left)} from the left "
        f"and {number(right)} from the right. gradcheck needs points where the function is smooth. "
        "Fix: move the inputs away from it."
    )


def no_gradient_expected(position: int, output: int, slopes: Array) -> GradcheckError:
    """The error for a function that varies although none of its outputs has a history."""
    flat = int(np.argmax(np.abs(slopes)))
    row, column = np.unravel_index(flat, slopes.shape)
    return GradcheckError(
        "Numerical gradient for function expected to be zero\n"
        f"  No output requires grad, yet d output {output}[{int(column)}] / d input "
        f"{position}[{int(row)}] is {number(slopes[row, column])} by finite differences (flat "
        "indices).\n  The tape does not see how the input reaches the output: detach(), .data, "
        ".numpy(), .item() or no_grad() cuts the path.\n"
        "  Fix: compute the output from the input with tensor operations only."
    )


__all__ = ["GradcheckError", "floating_positions", "mismatch", "no_gradient_expected"]
