"""`gradcheck_points`: a function checked at many points and batch sizes, and how gradients flow.

report = gradcheck_points(f)
assert report          # no wrong gradient, nothing that is not finite
print(report)          # kinks, dead and saturated zones, overflow, coupling, norms
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.value import make
from . import jacobians
from .flow import LayerNorm, layer_norms
from .jacobians import Problem
from .report import GradcheckError
from .scan import (
    SATURATED,
    SPAN,
    Line,
    Scan,
    Track,
    first_output,
    line_of,
    overflow_from,
    scan,
    track_for,
)
from .suspects import describe_suspects
from .tables import Report, Section, number

POINTS = (-1000.0, -100.0, -5.0, -1.0, 0.0, 1.0, 5.0, 100.0, 1000.0)
BATCHES = (1, 2, 8)
NORMS = (1e-6, 1e3)


@dataclass
class PointCheck:
    """The function where every entry is `point`."""

    point: float
    value: float = float("nan")  # of the outputs, weighed into one number
    automatic: float = float("nan")  # slope by backward
    left: float = float("nan")
    right: float = float("nan")
    step: float = float("nan")  # of the differences
    jumps: bool = False
    verdicts: list[str] = field(default_factory=list)
    error: str = ""


@dataclass
class BatchCheck:
    """The function on a random batch."""

    size: int
    agrees: bool = False  # backward against differences
    apart: float = float("nan")  # relative difference of the two
    coupling: float = 0.0  # strongest influence of another example, relative to its own
    alone: float = 0.0  # how much an example's output changes when it is alone
    verdicts: list[str] = field(default_factory=list)
    error: str = ""


@dataclass
class PointsReport(Report):
    """What gradcheck_points found. True when no gradient is wrong and all is finite."""

    points: list[PointCheck]
    batches: list[BatchCheck]
    scan: Scan
    float32_limits: list[float]  # from where on float32 overflows, per direction
    layers: list[LayerNorm]
    problems: list[str]  # what is wrong
    remarks: list[str]  # what is worth knowing

    def __bool__(self) -> bool:
        return not self.problems

    def sections(self) -> list[Section]:
        sections = [self._points(), self._zones(), self._batches()]
        if self.layers:
            sections.append(self._layers())
        verdict = "passed" if self else "FAILED"
        notes = [f"wrong: {p}" for p in self.problems] + [f"note: {r}" for r in self.remarks]
        sections.append(Section(f"gradient check at {len(self.points)} points: {verdict}",
                                notes=notes or ["nothing to remark"]))  # fmt: skip
        return sections

    def _points(self) -> Section:
        headers = ("x", "f", "backward", "from left", "from right", "verdict")
        section = Section("slopes at points", headers)
        for p in self.points:
            numbers = [number(v) for v in (p.point, p.value, p.automatic, p.left, p.right)]
            section.rows.append((*numbers, p.error or ", ".join(p.verdicts) or "ok"))
        return section

    def _zones(self) -> Section:
        low, high = self.scan.at[0], self.scan.at[-1]
        section = Section(f"along [{low:g}, {high:g}]")
        section.notes = [str(z) for z in self.scan.zones]
        for b in self.scan.breaks:
            section.notes.append(
                f"{b.kind} at x = {b.at:g}: {'slope' if b.kind == 'kink' else 'value'} "
                f"{number(b.left)} before, {number(b.right)} after"
            )
        section.notes = section.notes or ["smooth, neither dead nor saturated anywhere"]
        return section

    def _batches(self) -> Section:
        section = Section("random batches", ("examples", "backward vs. differences", "coupling",
                                             "verdict"))  # fmt: skip
        for b in self.batches:
            apart = "-" if b.error else f"{b.apart:.1e}"
            cells = (str(b.size), apart, f"{b.coupling:.2g}", b.error or ", ".join(b.verdicts))
            section.rows.append((*cells[:3], cells[3] or "ok"))
        return section

    def _layers(self) -> Section:
        section = Section(
            f"gradient norms (healthy between {NORMS[0]:g} and {NORMS[1]:g})",
            ("layer", "norm", "verdict", "where"),
        )
        shown = self.layers if len(self.layers) <= 24 else _ends(self.layers, 12)
        for row in shown:
            cells = ("...", "", "", "") if row is None else (
                row.name, number(row.norm), row.verdict or "ok", row.where[:60])  # fmt: skip
            section.rows.append(cells)
        return section


def _ends(rows: list[LayerNorm], count: int) -> list[LayerNorm | None]:
    return [*rows[:count], None, *rows[-count:]]


def gradcheck_points(
    f: Callable[..., Any],
    points: Sequence[float] = POINTS,
    batches: Sequence[int] = BATCHES,
    *,
    shape: tuple[int, ...] | None = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    norms: tuple[float, float] = NORMS,
    span: tuple[float, float] = SPAN,
    raise_exception: bool = False,
) -> PointsReport:
    """Check the gradients of `f` at many points and batch sizes, and report how they flow.

    `f` takes a tensor of shape (examples, *shape) and returns a tensor; a module is checked with
    its parameters in float64. At each of `points` all entries have that value; `batches` are sizes
    of random batches. The report is true when every gradient is right and finite; it also tells
    kinks, dead and saturated zones, where float32 overflows, whether examples influence one
    another, and which layer's gradient norms leave `norms`.

    >>> import chainrule as torch
    >>> report = torch.gradcheck_points(torch.relu)
    >>> bool(report), [(b.kind, b.at) for b in report.scan.breaks]
    (True, [('kink', 0.0)])
    """
    double = _converted(f, "double")
    example = shape if shape is not None else _example_shape(f)
    first = _first_that_runs(double, batches, example)
    track = track_for(double, (first, *example))
    line = line_of(double, track)
    followed = scan(line, span)
    settings = _Settings(eps, atol, rtol, track, line, followed.greatest)
    found = [_check_point(double, float(p), settings) for p in points]
    checks = [_check_batch(double, b, example, settings) for b in batches]
    report = PointsReport(
        found, checks, followed, _float32_limits(f, track, points),
        layer_norms(double, (max(batches), *example), norms), [], [],
    )  # fmt: skip
    _conclude(report)
    if not report:
        report.problems += _suspects(double, track, points, settings)
    if raise_exception and not report:
        raise GradcheckError(f"gradcheck_points failed\n{report}")
    return report


@dataclass
class _Settings:
    eps: float
    atol: float
    rtol: float
    track: Track
    line: Line
    greatest: float  # slope along the span
    order: int = 1
    original: Any = None


def _converted(f: Any, precision: str) -> Any:
    """A module's copy in another precision; a plain function as it is."""
    if hasattr(f, "named_parameters") and hasattr(f, precision):
        return getattr(copy.deepcopy(f), precision)()
    return f


def _example_shape(f: Any) -> tuple[int, ...]:
    """The shape of one example: what the module's first layer takes, else three numbers."""
    modules = list(f.modules()) if hasattr(f, "modules") else []
    for module in modules:
        for name in ("in_features", "num_features", "input_size"):
            size = getattr(module, name, None)
            if isinstance(size, int):
                return (size,)
    return (3,)


def _first_that_runs(f: Any, batches: Sequence[int], example: tuple[int, ...]) -> int:
    """The smallest batch that says something: norms over the batch need two examples."""
    problem: Exception | None = None
    for size in sorted(batches, key=lambda b: (b < 2, b)):
        try:
            f(make(np.zeros((size, *example))))
        except Exception as seen:
            problem = seen
            continue
        return size
    raise RuntimeError(
        f"gradcheck_points: the function accepts none of the batches {list(batches)} of examples "
        f"of shape {list(example)}. Fix: pass shape=, the shape of one example."
    ) from problem


# ---- points ------------------------------------------------------------------------------------


def _check_point(f: Any, point: float, s: _Settings) -> PointCheck:
    check = PointCheck(point)
    x = make(s.track.inputs(point))
    x._rg = True
    step = s.eps * max(1.0, abs(point))
    with np.errstate(all="ignore"):
        try:
            problem = Problem(lambda t: first_output(f(t)), (x,), step)
            _slopes(check, problem, x, s)
            flat = check.automatic == 0 and all(
                s.line(point + side * step * 1000)[1] == 0 for side in (-1, 1)
            )
            outwards = abs(s.line(2 * point)[1])
        except Exception as seen:
            check.error = f"{type(seen).__name__}: {str(seen).splitlines()[0]}"
            return check
    _judge_point(check, s)
    if np.isfinite([check.value, check.automatic]).all() and "wrong gradient" not in check.verdicts:
        if flat:
            check.verdicts.append("dead")
        elif 0 < abs(check.automatic) < SATURATED * s.greatest and outwards <= abs(check.automatic):
            check.verdicts.append("saturated")
    return check


def _slopes(check: PointCheck, problem: Problem, x: Any, s: _Settings) -> None:
    """The slope along the track by backward, and from either side by differences."""
    output, track = problem.outputs[0], s.track
    weights = track.weights(output._a.shape).reshape(-1)
    count = max(weights.size, 1)
    check.value = float(weights @ jacobians.flat_copy(output)) / count
    if problem.wanted:
        (g,) = jacobians.vjp(problem, output, weights)
        check.automatic = 0.0 if g is None else float(np.sum(g._a * track.direction)) / count
    else:
        check.automatic = 0.0

    def sides() -> tuple[float, float]:
        left, right = (
            float(weights @ jacobians.differences(problem, x, track.direction, side)[0]) / count
            for side in ("left", "right")
        )
        return left, right

    left, right = sides()
    # The sides differ by curvature too, but that shrinks with the step; a kink stays, and across a
    # jump the differences grow without bound.
    while not _settled(check, s, left, right, problem.eps):
        problem.eps /= 10
        closer = sides()
        check.jumps = max(map(abs, closer)) > 5 * max(abs(left), abs(right)) > 0
        if abs(closer[0] - closer[1]) >= abs(left - right) / 2 or problem.eps < 1e-11:
            problem.eps *= 10
            break
        left, right = closer
    check.left, check.right, check.step = left, right, problem.eps


def _settled(check: PointCheck, s: _Settings, left: float, right: float, step: float) -> bool:
    """Whether both sides agree with each other and with backward (or nothing is finite)."""
    if not np.isfinite([left, right, check.automatic]).all():
        return True
    allowed = _allowed(check, s, left, right, step)
    middle = (left + right) / 2
    return abs(left - right) <= 10 * allowed and abs(check.automatic - middle) <= allowed


def _allowed(check: PointCheck, s: _Settings, left: float, right: float, step: float) -> float:
    """The tolerance; differences of values near v are no better than v's rounding per step."""
    noise = 4 * float(np.finfo(np.float64).eps) * abs(check.value) / step
    return s.atol + s.rtol * max(abs(left), abs(right)) + noise


def _judge_point(check: PointCheck, s: _Settings) -> None:
    left, right, slope = check.left, check.right, check.automatic
    if not np.isfinite([check.value, slope]).all():
        check.verdicts.append("overflow")
        return
    if not np.isfinite([left, right]).all():
        check.verdicts.append("not resolved: the differences are not finite")
        return
    allowed = _allowed(check, s, left, right, check.step)
    if check.jumps:
        check.verdicts.append("jump")
    elif abs(left - right) > 10 * allowed:
        check.verdicts.append("kink")
        if not min(left, right) - allowed <= slope <= max(left, right) + allowed:
            check.verdicts.append("wrong gradient")
    elif abs(slope - (left + right) / 2) > allowed:
        check.verdicts.append("wrong gradient")
    else:
        check.verdicts += _unresolved(slope, (left + right) / 2, s)


def _unresolved(automatic: float, numerical: float, s: _Settings) -> list[str]:
    """What passes only because the tolerance swallows a large relative error is not "ok"."""
    size = max(abs(automatic), abs(numerical))
    apart = abs(automatic - numerical)
    if apart <= 10 * s.rtol * size or size <= 1e-12 * s.greatest:
        return []
    reason = "below atol" if apart <= s.atol + s.rtol * size else "rounding"
    return [f"not resolved ({reason}): off by {apart / size:.0%}"]


def _suspects(f: Any, track: Track, points: Sequence[float], s: _Settings) -> list[str]:
    """Which operation is to blame, at the point nearest to 1 (far from overflow and kinks at 0)."""
    nearest = min(points, key=lambda p: abs(p - 1.0), default=1.0)
    x = make(track.inputs(float(nearest)))
    x._rg = True
    try:
        problem = Problem(lambda t: first_output(f(t)), (x,), s.eps)
        lines = describe_suspects(problem, s, forward=False)
    except Exception:  # the points above say what it raises
        return []
    return [] if "no single operation" in lines[0] else [" ".join(lines)]


# ---- batches -----------------------------------------------------------------------------------


def _check_batch(f: Any, size: int, example: tuple[int, ...], s: _Settings) -> BatchCheck:
    check = BatchCheck(size)
    rng = np.random.default_rng(100 + size)
    x = make(rng.standard_normal((size, *example)))
    x._rg = True
    try:
        problem = Problem(lambda t: first_output(f(t)), (x,), s.eps)
        same = np.array_equal(problem.values()[0], problem.values()[0], equal_nan=True)
    except Exception as seen:
        check.error = f"{type(seen).__name__}: {str(seen).splitlines()[0]}"
        return check
    if not same:
        check.verdicts.append("random: two calls differ, not checked")
        check.agrees = True
        return check
    _compare(check, problem, x, rng, s)
    _couple(check, f, problem, x)
    return check


def _compare(check: BatchCheck, problem: Problem, x: Any, rng: Any, s: _Settings) -> None:
    """Backward against differences, along a random direction."""
    u = rng.standard_normal(x._a.shape)
    u /= np.linalg.norm(u)
    v = rng.standard_normal(problem.outputs[0]._a.size)
    v /= max(float(np.linalg.norm(v)), 1e-300)
    numerical = float(v @ jacobians.differences(problem, x, u)[0])
    automatic = 0.0
    if problem.wanted:
        (g,) = jacobians.vjp(problem, problem.diff_outputs[0], v)
        automatic = 0.0 if g is None else float(np.sum(g._a * u))
    check.apart = abs(automatic - numerical) / max(abs(numerical), abs(automatic), 1e-300)
    slack = float(np.abs(u).sum() * np.abs(v).sum())
    check.agrees = bool(np.isclose(automatic, numerical, s.rtol, s.atol * slack))
    if not check.agrees:
        check.verdicts.append(f"wrong gradient ({number(automatic)} for {number(numerical)})")
    else:
        check.verdicts += _unresolved(automatic, numerical, s)


def _couple(check: BatchCheck, f: Any, problem: Problem, x: Any) -> None:
    """Does an example's output depend on the others?"""
    y = problem.outputs[0]
    if check.size < 2 or not problem.wanted or y._a.ndim == 0 or y._a.shape[0] != check.size:
        return
    weights = np.zeros(y._a.shape)
    weights[0] = np.random.default_rng(9).standard_normal(y._a.shape[1:])
    (g,) = jacobians.vjp(problem, y, weights)
    if g is not None:
        own, others = float(np.abs(g._a[0]).max()), float(np.abs(g._a[1:]).max())
        check.coupling = others / max(own, others, 1e-300)
    try:
        single = first_output(f(make(x._a[:1].copy())))._a
        check.alone = float(np.abs(single[0] - y._a[0]).max())
    except Exception:
        check.alone = float("nan")  # a single example is refused: certainly not independent
    if check.coupling > 1e-9:
        check.verdicts.append("examples are coupled")


def _float32_limits(f: Any, track: Track, points: Sequence[float]) -> list[float]:
    """From where on float32 gives a value or slope that is not finite."""
    line = line_of(_converted(f, "float"), track, np.float32)
    limits = []
    for towards in (min(points, default=0.0), max(points, default=0.0)):
        try:
            found = overflow_from(line, towards) if towards else None
        except RuntimeError:  # a function that works in float64 only
            found = None
        if found is not None:
            limits.append(found)
    return limits


# ---- conclusions -------------------------------------------------------------------------------


def _conclude(report: PointsReport) -> None:
    wrong = [p for p in report.points if "wrong gradient" in p.verdicts]
    for p in wrong[:1]:
        others = f" (and at {len(wrong) - 1} more points)" if len(wrong) > 1 else ""
        report.problems.append(
            f"at x = {p.point:g} backward gives {number(p.automatic)}, differences give "
            f"{number(p.left)} from the left and {number(p.right)} from the right{others}"
        )
    for p in report.points:
        if p.error:
            report.problems.append(f"at x = {p.point:g} it raises {p.error}")
        if "overflow" in p.verdicts:
            report.problems.append(
                f"at x = {p.point:g} the value is {number(p.value)} and the slope "
                f"{number(p.automatic)} in float64"
            )
    for b in report.batches:
        if b.error and b.size > 1:
            report.problems.append(f"a batch of {b.size} raises {b.error}")
        elif b.error:
            report.remarks.append(f"a single example is refused: {b.error}")
        elif not b.agrees:
            report.problems.append(f"on a random batch of {b.size}: {b.verdicts[0]}")
    unresolved = [p for p in report.points if any("not resolved" in v for v in p.verdicts)]
    if unresolved:
        places = ", ".join(f"{p.point:g}" for p in unresolved[:4])
        more = ", ..." if len(unresolved) > 4 else ""
        report.remarks.append(
            f"at x = {places}{more} differences cannot tell whether the slope is right: scale the "
            "function, or lower atol"
        )
    _remark(report)


def _remark(report: PointsReport) -> None:
    for z in report.scan.zones:
        if z.kind == "dead":
            report.remarks.append(f"{z}: no gradient passes, units there do not learn")
        elif z.kind == "saturated":
            report.remarks.append(f"{z}: slopes below {SATURATED:.0%} of the greatest")
    for b in report.scan.breaks:
        report.remarks.append(f"{b.kind} at x = {b.at:g}: avoid this point in gradcheck")
    for limit in report.float32_limits:
        report.remarks.append(f"overflows in float32 from x = {limit:.4g}")
    strongest = max((b.coupling for b in report.batches), default=0.0)
    if strongest > 1e-9:
        report.remarks.append(
            f"examples of a batch influence one another (up to {strongest:.2g} of an example's "
            "influence on itself), as in batch norm: results depend on the batch"
        )
    for row in report.layers:
        if row.verdict:
            report.remarks.append(f"{row.verdict} gradient at {row.name}: norm {number(row.norm)}")


explain_module(globals())
