"""Every derivative is compared with differences of plain calls, and never believed against them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from .errors import TraceError
from .places import Arguments
from .running import Run, definition, finite, plain_outputs

# Steps relative to the size of an input: the one that balances truncation and rounding, then a wide
# one against noise and a narrow one for functions that bend quickly.
_STEP, _WIDE, _NARROW, _WIDEST = 6e-6, 1e-3, 1e-7, 1e-2


@dataclass(frozen=True)
class Check:
    """A derivative beside its differences from both sides."""

    derivative: float
    left: float
    right: float
    verdict: str  # "agrees", "kink", "jump", "flat", "unchecked"; "wrong" is raised

    @property
    def central(self) -> float:
        return (self.left + self.right) / 2

    @property
    def steepness(self) -> float:
        return max(abs(self.left), abs(self.right))

    @property
    def smooth(self) -> bool:
        """The same slope on both sides."""
        return abs(self.left - self.right) <= 1e-2 * self.steepness


@dataclass(frozen=True)
class _Plain:
    """The function of one input on plain numbers."""

    at: Callable[[float], float]
    middle: float
    noise: float  # how much rounding inside may move the output, in units of the rounding


def verify(
    arguments: Arguments, run: Run, output: str, derivatives: dict[str, float], slopes: list[float]
) -> dict[str, Check]:
    """A check per input; raises where a derivative contradicts the differences.

    `slopes` are those of the output by every number of the run: they say how far rounding inside
    of the function moves the output.
    """
    point, middle = arguments.point, run.outputs[output]
    noise = sum(abs(a * e.value) for a, e in zip(slopes, run.tape.entries, strict=False) if a)
    if len(derivatives) > _MOST_MOVED and not run.tape.events:
        along = _check_along(arguments, run, output, derivatives, noise)
        if along.verdict == "agrees":  # else each input is looked at: that names the one
            return dict.fromkeys(derivatives, along)
    texts = any(e.kind == "text" for e in run.tape.events)
    steps = any(e.kind == "flat" for e in run.tape.events)
    checks = {}
    for name, derivative in derivatives.items():

        def at(x: float, name: str = name) -> float:
            return _value_at(arguments, run, {**point, name: x}, output)

        plain = _Plain(at, middle, noise)
        check = _check(plain, point[name], derivative)
        if check.verdict == "agrees" and derivative == 0 and texts and not steps:
            # Text of few digits hides small changes from the differences too.
            wide = _differences(plain, point[name], derivative, _WIDEST)
            check = check if wide.verdict == "agrees" else replace(wide, verdict="wrong")
        if check.verdict == "wrong" and derivative == 0 and steps:
            check = replace(check, verdict="flat")
        if check.verdict == "wrong":
            raise TraceError(_contradiction(arguments, run, output, name, check))
        checks[name] = check
    return checks


_MOST_MOVED = 50  # inputs that are moved one at a time


def _check_along(
    arguments: Arguments, run: Run, output: str, derivatives: dict[str, float], noise: float
) -> Check:
    """All inputs moved at once in a random direction, each by about its size."""
    draw = random.Random(17)
    point = arguments.point
    moves = {n: draw.gauss(0, 1) * max(abs(point[n]), 1e-3) for n in derivatives}

    def at(t: float) -> float:
        moved = {n: point[n] + (t - 1) * move for n, move in moves.items()}
        return _value_at(arguments, run, {**point, **moved}, output)

    slope = math.fsum(derivatives[n] * move for n, move in moves.items())
    return _check(_Plain(at, run.outputs[output], noise), 1.0, slope)


def _value_at(arguments: Arguments, run: Run, point: dict[str, float], output: str) -> float:
    whole = {n: int(point[n]) for n in run.counts}
    try:
        return plain_outputs(arguments, {**point, **whole})[output]
    except (ArithmeticError, ValueError, LookupError, TypeError):
        return math.nan  # outside of the function's domain


def _check(f: _Plain, x: float, derivative: float) -> Check:
    first = _differences(f, x, derivative, _STEP)
    if first.verdict == "agrees":
        return first
    wide = _differences(f, x, derivative, _WIDE)
    narrow = _differences(f, x, derivative, _NARROW)
    if narrow.steepness > 20 * first.steepness and first.steepness > 20 * wide.steepness:
        return replace(first, verdict="jump")  # a fixed difference over ever smaller steps
    same = all(c.verdict == "wrong" and c.smooth for c in (first, wide))
    if same and abs(first.central - wide.central) <= 1e-2 * abs(wide.central):
        return first  # two differences agree on another number
    if narrow.verdict == "kink" and not wide.verdict == "agrees":
        # Slopes on both sides of a bend meet as the step shrinks; at a kink they stay apart.
        closer = _differences(f, x, derivative, _NARROW / 10)
        if abs(closer.left - closer.right) < 0.3 * abs(narrow.left - narrow.right):
            narrow = replace(narrow, verdict="agrees")
    found = (narrow, wide, first)
    return min(found, key=lambda c: _RANK[c.verdict])


def _differences(f: _Plain, x: float, derivative: float, relative: float) -> Check:
    step = relative * max(abs(x), 1e-3)
    low, high = f.at(x - step), f.at(x + step)
    left, right = (f.middle - low) / step, (high - f.middle) / step
    sizes = [abs(v) for v in (low, high) if finite(v)]
    rounding = 8 * 2.2e-16 * max([f.noise, abs(f.middle), *sizes]) / step
    return Check(derivative, left, right, _verdict(derivative, left, right, rounding))


_RANK = {"agrees": 0, "kink": 1, "unchecked": 2, "wrong": 3}


def _verdict(derivative: float, left: float, right: float, rounding: float) -> str:
    sides = [s for s in (left, right) if finite(s)]
    if not sides or not finite(derivative):
        return "unchecked"
    scale = max(abs(derivative), *map(abs, sides))
    central = (left + right) / 2 if len(sides) == 2 else sides[0]
    if abs(central - derivative) <= 1e-5 * scale + rounding:
        return "agrees" if len(sides) == 1 or _near(left, right, scale, rounding, 1e-2) else "kink"
    if len(sides) == 2 and not _near(left, right, scale, rounding, 1e-2):
        if any(_near(s, derivative, scale, rounding, 1e-3) for s in sides):
            return "kink"
        low, high = min(sides), max(sides)
        if low < derivative < high and not _same_sign_far(low, high, derivative):
            return "kink"
    if len(sides) == 1 and _near(sides[0], derivative, scale, rounding, 1e-2):
        return "agrees"
    return "wrong"


def _same_sign_far(low: float, high: float, derivative: float) -> bool:
    """A zero between two slopes of one sign is a lost trace, not the mean at a kink."""
    return derivative == 0 and low * high > 0


def _near(a: float, b: float, scale: float, rounding: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * scale + 2 * rounding


def _contradiction(arguments: Arguments, run: Run, output: str, name: str, check: Check) -> str:
    texts = [e for e in run.tape.events if e.kind == "text"]
    hint = "It was turned into text and back, passed through a file or another program"
    if texts:
        hint = "\n".join(f"It was turned into text at {e.where}" for e in texts[:3])
    what = output or arguments.title
    return (
        f"sensitivity cannot follow {arguments.title}: d {what} / d {name} is "
        f"{check.derivative:.6g} by the trace, but {check.central:.6g} by differences (left "
        f"{check.left:.6g}, right {check.right:.6g}){definition(arguments.f)}\n"
        f"The number left the trace on its way. {hint}, or kept in a cache between calls. "
        "Fix: let the number pass through arithmetic and functions only."
    )


def describe(name: str, output: str, check: Check) -> str:
    """The sentence for a derivative that holds on one side only."""
    if check.verdict == "kink":
        return (
            f"{output} has a kink at this {name}: its slope is {check.left:.4g} below and "
            f"{check.right:.4g} above"
        )
    if check.verdict == "flat":
        return (
            f"{output} moves in steps: over larger changes of {name} its slope is "
            f"{check.central:.4g}"
        )
    if check.verdict == "jump":
        return f"{output} jumps at this {name}: the derivative holds between jumps only"
    return f"d {output} / d {name} could not be checked by differences: no finite value nearby"


def notes(checks: dict[str, Check], output: str) -> list[str]:
    return [describe(n, output, c) for n, c in checks.items() if c.verdict != "agrees"]
