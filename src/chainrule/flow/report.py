"""The report: a table, a picture, a page, numbers, and each parameter's sign in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..reading import html
from ..reading.markup import escape
from ..reading.svg import Picture, short_number, shorten, text_width
from ..reading.terminal import Block, Report, Table
from .measure import Parameter
from .verdict import LARGEST, SMALLEST, Layer, judge, per_layer

HEAD = (
    "layer", "kind", "|gradient|", "|weight|", "update/weight", "zeros", "dead", "saturated",
    "vs next", "verdict",
)  # fmt: skip
_COLOURS = {"healthy": "green", "vanishing": "blue", "exploding": "red"}


class GradientFlow(Report):
    """The gradients of a model, layer by layer: `print` it, `.show()` it, `.to_svg()`.

    `layers` has the numbers, `verdict` one word, `reasons` the sentences, `amplification` the
    factor by which the gradient changes per layer on its way back.
    """

    def __init__(
        self, layers: Sequence[Layer], parameters: Sequence[Parameter], step: int | None = None
    ) -> None:
        self.layers = list(layers)
        self.step = step
        self._parameters = {p.name: p for p in parameters}
        self.amplification = per_layer(self.layers)
        self.verdict, self.reasons = judge(self.layers)

    # ---- words -----------------------------------------------------------------------------------

    def reading(self, name: str, index: Any = None) -> str:
        """What the sign of a parameter's gradient says to do.

        Without `index`, the entry whose gradient is largest is read.
        """
        p = self._parameters.get(name)
        if p is None:
            known = ", ".join(list(self._parameters)[:6])
            raise KeyError(f"no parameter {name!r}; there are {known}, ...")
        if p.gradient is None:
            return f"{name} has no gradient: the loss does not depend on it, or it is frozen"
        if p.gradient.size == 0:
            return f"{name} has no values"
        if index is None:
            index = np.unravel_index(int(np.argmax(np.abs(p.gradient))), p.gradient.shape)
        elif not isinstance(index, tuple):
            index = (index,)
        place = f"[{', '.join(str(int(i)) for i in index)}]" if index else ""
        value, g = p.value[index].item(), p.gradient[index].item()
        text = f"{name}{place} = {short_number(value)}, gradient {short_number(g)}: "
        if g == 0:
            return text + "at a standstill, the loss does not change to first order"
        direction = "decrease" if g > 0 else "increase"
        return text + f"{direction} it: the loss falls, by {short_number(abs(g) * 0.01)} per 0.01"

    def readings(self, most: int = 5) -> list[str]:
        """The parameters with the largest gradients, each in plain words."""
        sized = [
            (float(np.abs(p.gradient).max()), p.name)
            for p in self._parameters.values()
            if p.gradient is not None and p.gradient.size
        ]
        return [self.reading(name) for _, name in sorted(sized, reverse=True)[:most]]

    def blocks(self) -> list[Block]:
        title = f"gradient flow: {self.verdict}"
        if self.step is not None:
            title += f" (step {self.step})"
        rows = [_row(layer) for layer in self.layers]
        used = [k for k in range(len(HEAD)) if k < 4 or any(r[k] not in ("", "-") for r in rows)]
        head = tuple(HEAD[k] for k in used)
        return [Table(title, head, [tuple(r[k] for k in used) for r in rows], self.reasons)]

    def __repr__(self) -> str:
        return f"<gradient flow of {len(self.layers)} layers: {self.verdict}>"

    # ---- numbers and pictures --------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Everything as plain containers."""
        return {
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "amplification": self.amplification,
            "step": self.step,
            "layers": [layer.to_json() for layer in self.layers],
        }

    def to_svg(self) -> str:
        """The norm of each layer's gradient on a logarithmic scale, the healthy range marked."""
        notes = []
        if self.amplification is not None:
            notes = [f"x {self.amplification:.3g} per layer on the way back"]
        return bars(self.layers, f"gradient flow: {self.verdict}", notes)

    def _repr_html_(self) -> str:
        table = self.blocks()[0]
        assert isinstance(table, Table)
        notes = "".join(f"<p>{escape(line)}</p>" for line in self.reasons)
        numbers = html.table(table.head, table.rows)
        return html.fragment(f"<b>{escape(table.title)}</b>{notes}{self.to_svg()}{numbers}")

    def to_html(self) -> str:
        """One self-contained page."""
        table = self.blocks()[0]
        assert isinstance(table, Table)
        notes = "".join(f"<p>{escape(line)}</p>" for line in self.reasons)
        signs = "".join(f"<li>{escape(line)}</li>" for line in self.readings())
        body = (
            f"<h1>{escape(table.title)}</h1>{notes}<div class='frame'>{self.to_svg()}</div>"
            f"{html.table(table.head, table.rows)}"
            f"<h2>What the largest gradients say</h2><ul>{signs}</ul>"
        )
        return html.page("gradient flow", body)

    def plot(self, ax: Any = None) -> Any:
        """The same picture by matplotlib; returns the axes."""
        if ax is None:
            import matplotlib.pyplot as plt  # type: ignore[import-not-found]

            _, ax = plt.subplots(figsize=(8, 0.35 * len(self.layers) + 1.5))
        reached = [x for x in self.layers if x.gradient and math.isfinite(x.gradient)]
        ax.barh([x.name for x in reached], [x.gradient for x in reached])
        ax.axvspan(SMALLEST, LARGEST, color="green", alpha=0.08)
        ax.set_xscale("log")
        ax.invert_yaxis()
        ax.set_xlabel("norm of the gradient")
        ax.set_title(f"gradient flow: {self.verdict}")
        return ax


def _row(layer: Layer) -> tuple[str, ...]:
    return (
        layer.name, layer.kind, _number(layer.gradient), _number(layer.weight),
        _number(layer.ratio), _share(layer.zeros if layer.gradient is not None else None),
        _share(layer.dead), _share(layer.saturated), _number(layer.amplification), layer.verdict,
    )  # fmt: skip


def _number(x: float | None) -> str:
    return "-" if x is None else f"{x:.3g}"


def _share(x: float | None) -> str:
    return "-" if x is None else f"{x:.0%}"


# ---- the picture ---------------------------------------------------------------------------------

_MOST_BARS = 40
_WIDTH = 420.0


def bars(layers: Sequence[Layer], title: str, notes: Sequence[str] = ()) -> str:
    """A bar per layer from the bottom of a log scale; dead and missing ones are written out."""
    p = Picture(title)
    p.text(0, 14, title, size=14, bold=True)
    top = 26.0
    for note in notes:
        p.text(0, top + 8, note, size=11, kind="dim")
        top += 18
    shown = list(layers)[:_MOST_BARS]
    label = min(220.0, max([text_width(x.name) for x in shown], default=0)) + 10
    sizes = [math.log10(x.gradient) for x in shown if x.gradient and math.isfinite(x.gradient)]
    low = math.floor(min([*sizes, -2.0])) - 1
    high = max(math.ceil(max([*sizes, 0.0])), low + 3)
    bottom = top + 20 * len(shown) + 4

    def at(power: float) -> float:
        return label + (min(max(power, low), high) - low) * _WIDTH / (high - low)

    left, right = at(math.log10(SMALLEST)), at(math.log10(LARGEST))
    p.box(left, top, right - left, bottom - top, fill="panel", stroke="", radius=0,
          tip="norms from 1e-6 to 1e3")  # fmt: skip
    for power in range(low, high + 1, max(1, (high - low) // 6)):
        p.line([(at(power), top), (at(power), bottom)], width=0.6)
        p.text(at(power), bottom + 14, f"1e{power}", anchor="middle", size=11, kind="dim")
    for k, layer in enumerate(shown):
        _bar(p, layer, label, top + 20 * k + 3, at)
    if len(layers) > len(shown):
        more = f"{len(layers) - len(shown)} more layers are not shown"
        p.text(0, bottom + 32, more, size=11, kind="dim")
    return p.svg()


def _bar(p: Picture, layer: Layer, label: float, y: float, at: Callable[[float], float]) -> None:
    p.text(label - 8, y + 12, shorten(layer.name, 220), anchor="end", tip=layer.kind)
    g = layer.gradient
    if not g or not math.isfinite(g):
        p.text(label + 4, y + 12, layer.verdict, size=11, kind="amber")
        return
    end = at(math.log10(g))
    colour = _COLOURS.get(layer.verdict.split(",")[0], "amber")
    tip = f"{layer.name}: {g:.4g}, {layer.verdict}"
    p.box(label, y, max(end - label, 1), 14, radius=2, stroke="", fill=colour, tip=tip)
    p.text(end + 5, y + 12, f"{g:.2g}", size=11, kind="dim")
