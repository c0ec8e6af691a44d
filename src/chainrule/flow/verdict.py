"""What the numbers of a layer, and of all layers together, mean in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from ..checking.points import NORMS

SMALLEST, LARGEST = NORMS  # norms of a layer's gradient outside of these are a warning
FADED = 1e-3  # of the last layer's gradient, at the first layer
MANY_DEAD = 0.5  # of a layer's units
MANY_SATURATED = 0.5
STEP = (1e-5, 1e-1)  # update / weight: about 1e-3 is usual


@dataclass
class Layer:
    """One module with parameters of its own."""

    name: str
    kind: str  # its class
    parameters: int  # values
    gradient: float | None  # norm; None when backward did not reach it
    weight: float  # norm
    matrix: bool = True  # maps vectors to vectors; scales, biases and tables of rows do not
    update: float | None = None  # norm of the coming (or last) step
    zeros: float = 0.0  # share of gradient values that are exactly 0
    dead: float | None = None  # share of units through which no gradient came
    saturated: float | None = None  # share of activations in a flat part
    activation: str = ""  # what follows the layer
    amplification: float | None = None  # its gradient / that of the next layer
    verdict: str = ""

    @property
    def ratio(self) -> float | None:
        """The step as a share of the weights."""
        if self.update is None or self.weight == 0:
            return None
        return self.update / self.weight

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratio}


def along_the_way(layers: Sequence[Layer]) -> list[Layer]:
    """The layers a gradient passes one after another: those with matrices, if there are two."""
    reached = [layer for layer in layers if layer.gradient is not None]
    matrices = [layer for layer in reached if layer.matrix]
    return matrices if len(matrices) > 1 else reached


def judge_layers(layers: Sequence[Layer]) -> None:
    """Fill in the amplification and verdict of every layer."""
    reached = along_the_way(layers)
    for layer, following in pairwise(reached):
        if following.gradient and math.isfinite(following.gradient):
            assert layer.gradient is not None
            layer.amplification = layer.gradient / following.gradient
    last = (reached[-1].gradient or 0.0) if reached else 0.0
    for layer in layers:
        layer.verdict = _of_layer(layer, last)


def _of_layer(layer: Layer, last: float) -> str:
    """In words; `last` is the norm at the last layer, where the gradient comes from."""
    g = layer.gradient
    if g is None:
        return "no gradient"
    if not math.isfinite(g):
        return "not finite"
    if g == 0:
        return "dead"
    words = []
    last = last if layer.matrix else g  # only what the gradient passed is compared
    if g < max(SMALLEST, FADED * last):
        words.append("vanishing")
    elif g > LARGEST or (last and g > last / FADED):
        words.append("exploding")
    if layer.dead is not None and layer.dead > MANY_DEAD:
        words.append(f"{layer.dead:.0%} dead")
    if layer.saturated is not None and layer.saturated > MANY_SATURATED:
        words.append(f"{layer.saturated:.0%} saturated")
    ratio = layer.ratio
    if ratio is not None and not STEP[0] <= ratio <= STEP[1]:
        words.append("step too small" if ratio < STEP[0] else "step too large")
    return ", ".join(words) or "healthy"


def per_layer(layers: Sequence[Layer]) -> float | None:
    """The factor by which the gradient changes from one layer to the one before it, on average."""
    way = along_the_way(layers)
    norms = [x.gradient for x in way if x.gradient and math.isfinite(x.gradient)]
    if len(norms) < 2:
        return None
    return (norms[0] / norms[-1]) ** (1 / (len(norms) - 1))


def judge(layers: Sequence[Layer]) -> tuple[str, list[str]]:
    """(verdict, sentences that give the reasons) on all layers together."""
    reached = [x for x in layers if x.gradient is not None]
    if not reached:
        return "no gradients", [
            "No parameter has a gradient: call loss.backward() first, and gradient_flow before "
            "zero_grad()."
        ]
    infinite = [x.name for x in reached if not math.isfinite(x.gradient or 0.0)]
    if infinite:
        return "not finite", [
            f"The gradient of {_list(infinite)} is not finite. Run the step inside "
            "torch.autograd.detect_anomaly(forward=True): it names where that begins."
        ]
    verdict, reasons = _of_depth(along_the_way(layers))
    reasons += _of_units(reached)
    reasons += _of_steps(reached)
    missing = [x.name for x in layers if x.gradient is None]
    if missing:
        reasons.append(f"No gradient reached {_list(missing)}: frozen, unused, or detached.")
    if verdict == "healthy":
        words = {w for x in reached for w in x.verdict.split(", ")} - {"healthy"}
        verdict = "healthy" if not words else _overall(words)
    return verdict, reasons


def _overall(words: set[str]) -> str:
    if any(w.endswith("dead") for w in words):
        return "dead units"
    if any("saturated" in w for w in words):
        return "saturated"
    return next(iter(sorted(words)))


def _of_depth(reached: Sequence[Layer]) -> tuple[str, list[str]]:
    first, last = reached[0], reached[-1]
    g_first, g_last = first.gradient or 0.0, last.gradient or 0.0
    factor = per_layer(reached)
    whole = (
        f"From {last.name} back to {first.name} the gradient goes from {g_last:.2e} to "
        f"{g_first:.2e}"
    )
    if factor is not None:
        count = len(reached) - 1
        whole += f": a factor of {factor:.3g} per layer over {count} layer{'s' * (count > 1)}."
    share = g_first / g_last if g_last else math.inf
    small = [x for x in reached if (x.gradient or 0.0) < SMALLEST]
    if (len(reached) > 1 and share < FADED) or (small and len(small) * 2 >= len(reached)):
        return "vanishing", [
            whole,
            "Plain descent hardly moves the early layers. Remedies: ReLU or GELU instead of "
            "sigmoid or tanh, He or Xavier initial weights, normalisation, residual connections.",
        ]
    large = [x for x in reached if (x.gradient or 0.0) > LARGEST]
    if large or (len(reached) > 1 and share > 1 / FADED):
        return "exploding", [
            whole,
            "Remedies: smaller initial weights, clip_grad_norm_ before the step, normalisation, a "
            "smaller learning rate.",
        ]
    return "healthy", [whole] if len(reached) > 1 else []


def _of_units(reached: Sequence[Layer]) -> list[str]:
    lines = []
    dead = [f"{x.name} ({x.dead:.0%})" for x in reached if (x.dead or 0) > MANY_DEAD]
    if dead:
        lines.append(
            f"Most units get no gradient in {_list(dead)}: they answer every example with a flat "
            "part. Remedies: a smaller learning rate, leaky ReLU, initial biases above 0."
        )
    flat = [
        f"{x.name} ({x.activation}, {x.saturated:.0%})"
        for x in reached
        if (x.saturated or 0) > MANY_SATURATED
    ]
    if flat:
        lines.append(
            f"Most activations are saturated after {_list(flat)}: their slope is below a twentieth "
            "of its best. Remedies: smaller weights, normalised inputs."
        )
    return lines


def _of_steps(reached: Sequence[Layer]) -> list[str]:
    ratios = [(x.name, x.ratio) for x in reached if x.ratio is not None]
    small = [n for n, r in ratios if r < STEP[0]]
    large = [n for n, r in ratios if r > STEP[1]]
    lines = []
    if small:
        lines.append(f"The step moves {_list(small)} by less than 1e-5 of the weights: too slow.")
    if large:
        lines.append(f"The step moves {_list(large)} by more than a tenth of the weights: too far.")
    return lines


def _list(names: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
