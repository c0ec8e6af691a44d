"""`audit_activation`: is this function fit to stand between two layers?

All shares and moments are for standard normal inputs, by integration, so nothing depends on a seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.backward import grad
from ..autograd.value import make
from .overfit import overfits
from .scan import SATURATED, Scan, Track, first_output, line_of, overflow_from, scan
from .tables import Report, Section, number

_EXTREMES = (-1e4, -1e3, -100.0, 100.0, 1e3, 1e4)
_DEPTH = 10
_ONE = Track(np.zeros(1), np.ones(1), True)

# Per loss: the outputs it takes, and what goes wrong outside.
LOSSES: dict[str, tuple[float, float, str]] = {
    "BCELoss": (0.0, 1.0, "log of a negative number; probabilities are needed"),
    "NLLLoss": (-math.inf, 0.0, "log-probabilities are at most 0"),
    "PoissonNLLLoss(log_input=False)": (0.0, math.inf, "a rate is not negative"),
    "CrossEntropyLoss, BCEWithLogitsLoss": (-math.inf, math.inf, ""),
    "MSELoss, L1Loss": (-math.inf, math.inf, ""),
}


@dataclass(frozen=True)
class InitFit:
    """How variance and gradients fare over ten layers with one initialisation."""

    name: str
    weight_variance: float  # times 1 / fan_in
    forward: float  # variance of the activations after ten layers, from 1
    backward: float  # squared gradient after ten layers back, from 1


@dataclass
class ActivationAudit(Report):
    """What audit_activation found."""

    name: str
    scan: Scan
    derivative_range: tuple[float, float] = (math.nan, math.nan)
    derivative_error: float = math.nan
    dead_share: float = math.nan
    saturated_share: float = math.nan
    mean: float = math.nan
    gain: float = math.nan  # of the weights, so that variance is kept
    inits: list[InitFit] = field(default_factory=list)
    output_range: tuple[float, float] = (math.nan, math.nan)
    losses: dict[str, str] = field(default_factory=dict)  # loss -> "" or why it does not fit
    float32_limits: list[float] = field(default_factory=list)
    overfit: dict[int, float] = field(default_factory=dict)  # examples -> loss reached
    elementwise: bool = True
    problems: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.problems

    @property
    def best_init(self) -> str:
        """Of He and Xavier the one that better keeps variance and gradients, or neither."""
        known = [i for i in self.inits if i.name in ("He", "Xavier")]
        best = min(known, key=_drift, default=None)
        return best.name if best is not None and _drift(best) < _TOO_FAR else "neither"

    def sections(self) -> list[Section]:
        verdict = "fit" if self else "NOT fit"
        top = Section(f"activation {self.name}: {verdict}")
        top.notes = [f"problem: {p}" for p in self.problems]
        if not self.elementwise:
            return [top]
        top.notes += self._facts()
        return [top, self._inits(), self._losses(), self._overfit()]

    def _facts(self) -> list[str]:
        low, high = self.derivative_range
        facts = [
            f"derivative between {number(low)} and {number(high)} on [-10, 10]; backward and "
            f"differences agree to {self.derivative_error:.0e}",
            f"dead for {self.dead_share:.1%} of standard normal inputs, saturated for "
            f"{self.saturated_share:.1%} (slope below {SATURATED:.0%} of the greatest)",
            f"output between {number(self.output_range[0])} and {number(self.output_range[1])}, "
            f"mean {number(self.mean)}",
        ]
        facts += [str(z) for z in self.scan.zones]
        facts += [f"{b.kind} at x = {b.at:g}" for b in self.scan.breaks]
        facts += [f"overflows in float32 from x = {limit:.4g}" for limit in self.float32_limits]
        return facts

    def _inits(self) -> Section:
        section = Section(
            f"variance over {_DEPTH} layers",
            ("init", "weight variance", "activations", "gradients"),
        )
        for fit in self.inits:
            variance = f"{fit.weight_variance:.4g} / fan_in"
            section.rows.append((fit.name, variance, number(fit.forward), number(fit.backward)))
        section.notes = [
            f"better of the two: {self.best_init}; gain {self.gain:.4f} keeps variance"
        ]
        return section

    def _losses(self) -> Section:
        section = Section("as the last layer", ("loss", "fits"))
        section.rows = [(name, why or "yes") for name, why in self.losses.items()]
        return section

    def _overfit(self) -> Section:
        section = Section("can a small network overfit?", ("examples", "loss reached", "verdict"))
        for count, loss in self.overfit.items():
            verdict = "yes" if loss < _OVERFIT else "NO"
            section.rows.append((str(count), f"{loss:.1e}", verdict))
        return section


_OVERFIT = 1e-2


_TOO_FAR = math.log(1e6)


def _drift(fit: InitFit) -> float:
    """How far variance and gradients move from 1, in powers of e."""
    pair = (fit.forward, fit.backward)
    return sum(abs(math.log(max(v, 1e-300))) if math.isfinite(v) else 700.0 for v in pair)


def audit_activation(f: Callable[..., Any], loss: str | None = None) -> ActivationAudit:
    """Audit an activation function: derivatives, dead share, variance, range, trainability.

    `loss` names the loss that would follow if `f` is the last layer (a key, or part of one, of
    `chainrule.checking.activation.LOSSES`); its domain then counts for the verdict.

    >>> import chainrule as torch
    >>> audit = torch.audit_activation(torch.relu)
    >>> audit.dead_share, round(audit.gain ** 2, 3), audit.best_init
    (0.5, 2.0, 'He')
    """
    audit = ActivationAudit(getattr(f, "__name__", type(f).__name__), scan(line_of(f, _ONE)))
    audit.elementwise = _is_elementwise(f)
    if not audit.elementwise:
        audit.problems.append("not element-wise: an output depends on several entries of the input")
        return audit
    _derivatives(audit, f)
    _moments(audit, f)
    _range(audit, f)
    _judge_losses(audit, loss)
    for towards in (-1e4, 1e4):
        limit = overflow_from(line_of(f, _ONE, np.float32), towards)
        if limit is not None:
            audit.float32_limits.append(limit)
    audit.overfit = {count: overfits(f, count) for count in (2, 3, 4)}
    _judge(audit)
    return audit


def _values(f: Callable[..., Any], at: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(first_output(f(make(at.copy())))._a, np.float64)


def _slopes(f: Callable[..., Any], at: np.ndarray) -> np.ndarray:
    x = make(at.copy())
    x._rg = True
    with np.errstate(all="ignore"):
        y = first_output(f(x))
        if not y._rg:
            return np.zeros_like(at)
        (g,) = grad(y, (x,), make(np.ones(at.shape, y._a.dtype)), allow_unused=True)
    return np.zeros_like(at) if g is None else np.asarray(g._a, np.float64)


def _is_elementwise(f: Callable[..., Any]) -> bool:
    at = np.array([-1.3, 0.4, 2.1])
    together = _values(f, at)
    if together.shape != at.shape:
        return False
    alone = np.concatenate([_values(f, at[k : k + 1]) for k in range(3)])
    return bool(np.allclose(together, alone, equal_nan=True))


def _derivatives(audit: ActivationAudit, f: Callable[..., Any]) -> None:
    """The range of the derivative, and whether backward is right away from breaks."""
    s = audit.scan
    finite = s.slope[np.isfinite(s.slope)]
    audit.derivative_range = (float(finite.min()), float(finite.max()))
    eps = 1e-6
    numerical = (_values(f, s.at + eps) - _values(f, s.at - eps)) / (2 * eps)
    smooth = np.isfinite(numerical) & np.isfinite(s.slope)
    for b in s.breaks:
        smooth &= np.abs(s.at - b.at) > 2 * eps
    apart = np.abs(s.slope - numerical) / np.maximum(1.0, np.abs(numerical))
    apart = np.where(smooth, apart, 0.0)
    audit.derivative_error = float(apart.max())
    if audit.derivative_error > 1e-4:
        k = int(apart.argmax())
        audit.problems.append(
            f"wrong derivative: at x = {s.at[k]:.4g} backward gives {number(s.slope[k])}, "
            f"differences give {number(numerical[k])}"
        )


# ---- moments under a standard normal input -----------------------------------------------------


def _normal_grid() -> tuple[np.ndarray, np.ndarray]:
    """Midpoints of 8000 cells of [-8, 8] and their probabilities; no midpoint is a round number."""
    width = 16 / 8000
    at = -8 + width * (np.arange(8000) + 0.5)
    weights = np.exp(-at * at / 2)
    return at, weights / weights.sum()


def _moments(audit: ActivationAudit, f: Callable[..., Any]) -> None:
    at, weights = _normal_grid()
    values, slopes = _values(f, at), _slopes(f, at)
    audit.dead_share = round(float(weights[slopes == 0].sum()), 6)
    greatest = np.abs(slopes[np.abs(at) < 3]).max(initial=0.0)
    weak = (slopes != 0) & (np.abs(slopes) < SATURATED * greatest)
    audit.saturated_share = round(float(weights[weak].sum()), 6)
    audit.mean = float(weights @ values)
    power = float(weights @ values**2)
    audit.gain = 1 / math.sqrt(power) if power > 0 else math.inf
    kept = ("variance kept", audit.gain**2)
    for name, variance in (("He", 2.0), ("Xavier", 1.0), kept):
        audit.inits.append(InitFit(name, variance, *_through_layers(f, variance, at, weights)))


def _through_layers(
    f: Callable[..., Any], variance: float, at: np.ndarray, weights: np.ndarray
) -> tuple[float, float]:
    """Variance of the pre-activations and squared gradient after ten wide layers.

    In a wide layer pre-activations are normal, so their variance q alone follows
    q' = variance * E[f(sqrt(q) z)**2], and a squared gradient variance * E[f'(sqrt(q) z)**2].
    """
    q, gradient = 1.0, 1.0
    for _ in range(_DEPTH):
        if not 0 < q < 1e300:
            return q, gradient
        inputs = math.sqrt(q) * at
        with np.errstate(all="ignore"):
            gradient *= variance * float(weights @ _slopes(f, inputs) ** 2)
            q = variance * float(weights @ _values(f, inputs) ** 2)
    return q, gradient


# ---- range -------------------------------------------------------------------------------------


def _range(audit: ActivationAudit, f: Callable[..., Any]) -> None:
    at = np.concatenate([audit.scan.at, np.array(_EXTREMES)])
    values = _values(f, at)
    if np.isnan(values).any():
        audit.problems.append(f"NaN at x = {at[int(np.isnan(values).argmax())]:g}")
    values = values[~np.isnan(values)]
    low, high = float(values.min()), float(values.max())
    # What still grows at ten thousand has no bound.
    audit.output_range = (-math.inf if low < -500 else low, math.inf if high > 500 else high)


def _judge_losses(audit: ActivationAudit, loss: str | None) -> None:
    low, high = audit.output_range
    for name, (least, most, why) in LOSSES.items():
        verdict = ""
        if low < least or high > most:
            verdict = f"no: outputs reach [{low:.4g}, {high:.4g}]: {why}"
        elif why == "" and math.isfinite(low) and math.isfinite(high):
            if "CrossEntropy" in name:
                floor = math.log1p(math.exp(low - high))
                verdict = (
                    f"poorly: logits in [{low:.4g}, {high:.4g}] keep the two-class loss above "
                    f"{floor:.3g}"
                )
            else:
                verdict = f"only for targets in [{low:.4g}, {high:.4g}]"
        audit.losses[name] = verdict
        if loss and loss.lower() in name.lower() and verdict.startswith("no"):
            audit.problems.append(f"as input of {name}: {verdict.removeprefix('no: ')}")
    if loss and not any(loss.lower() in name.lower() for name in LOSSES):
        raise ValueError(f"loss={loss!r} is not known; use part of one of: {', '.join(LOSSES)}")


def _judge(audit: ActivationAudit) -> None:
    if audit.dead_share > 0.9:
        audit.problems.append(f"dead for {audit.dead_share:.0%} of standard normal inputs")
    for b in audit.scan.breaks:
        if b.kind == "jump":
            audit.problems.append(
                f"jumps at x = {b.at:g} from {number(b.left)} to {number(b.right)}: no gradient "
                "tells the way across"
            )
    failed = [str(count) for count, loss in audit.overfit.items() if not loss < _OVERFIT]
    if failed:
        audit.problems.append(
            f"a small network cannot overfit {', '.join(failed)} examples with it (loss "
            f"{max(audit.overfit.values()):.2g})"
        )


explain_module(globals())
