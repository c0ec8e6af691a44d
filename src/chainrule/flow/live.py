"""Gradient flow while a model trains: every so many steps, by hooks that sleep in between."""

from __future__ import annotations

import math
from typing import Any

from ..autograd import watching
from ..autograd.state import STATE, TRACE
from ..nn.modules.module import Module
from ..reading import html
from ..reading.markup import escape
from ..reading.svg import line_chart
from ..reading.terminal import Block, Report, Table
from .measure import _array, _gradient, measure, norm
from .report import GradientFlow
from .units import Units


class Watch(Report):
    """Measures the gradient flow of a training run; made by `gradient_flow.watch`.

    Inside the block every `every`-th step of the optimizer is measured: the gradients that it is
    given, the step that it takes, and dead and saturated units in the forward pass before it.
    `callback(flow)` is called with each measurement. The other steps cost two hooks that count.

    >>> import chainrule as torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with torch.gradient_flow.watch(model, optimizer, every=2) as flow:
    ...     for _ in range(4):
    ...         optimizer.zero_grad()
    ...         model(torch.ones(3, 2)).square().mean().backward()
    ...         optimizer.step()
    >>> [measured.step for measured in flow.history]
    [0, 2]
    """

    def __init__(
        self, model: Any, optimizer: Any, *, every: int = 10, callback: Any = None
    ) -> None:
        if not isinstance(model, Module):
            raise TypeError(f"watch takes a module, got {type(model).__name__}")
        if not hasattr(optimizer, "register_step_pre_hook"):
            raise TypeError(
                f"watch takes an optimizer, got {type(optimizer).__name__}: its steps are what is "
                "counted and measured"
            )
        if every < 1:
            raise ValueError(f"every must be 1 or more, got {every}")
        self.model, self.optimizer, self.every = model, optimizer, every
        self.callback = callback
        self.step = 0
        self.history: list[GradientFlow] = []
        self._handles: list[Any] = []
        self._units: Units | None = None
        self._seen: dict[str, Any] = {}
        self._before: dict[int, Any] = {}

    # ---- hooks -----------------------------------------------------------------------------------

    def __enter__(self) -> Watch:
        self._handles = [
            self.model.register_forward_pre_hook(self._forward_begins),
            self.model.register_forward_hook(self._forward_ends, always_call=True),
            self.optimizer.register_step_pre_hook(self._step_begins),
            self.optimizer.register_step_post_hook(self._step_ends),
        ]
        return self

    def __exit__(self, *exc: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._forward_ends()

    def _due(self) -> bool:
        return self.step % self.every == 0 and not STATE.unusual & TRACE

    def _forward_begins(self, module: Any, args: Any) -> None:
        if self._due() and self._units is None and module.training:
            self._units = Units(self.model)
            watching.enter(self._units)

    def _forward_ends(self, *_: Any) -> None:
        if self._units is not None:
            watching.leave(self._units)
            self._seen.update(self._units.seen)
            self._units = None

    def _step_begins(self, *_: Any) -> None:
        if self._due():
            self._before = {
                id(p): (_array(p).copy(), p)
                for p in self.model.parameters()
                if _gradient(p) is not None
            }

    def _step_ends(self, *_: Any) -> None:
        if self._due():
            updates = {key: norm([_array(p) - old]) for key, (old, p) in self._before.items()}
            layers = measure(self.model, units=self._seen, updates=updates, keep=False)[0]
            flow = GradientFlow(layers, (), self.step)
            self.history.append(flow)
            self._before, self._seen = {}, {}
            if self.callback is not None:
                self.callback(flow)
        self.step += 1

    # ---- showing ---------------------------------------------------------------------------------

    @property
    def last(self) -> GradientFlow | None:
        """The latest measurement."""
        return self.history[-1] if self.history else None

    def norms(self) -> dict[str, list[float]]:
        """Each layer's gradient norms over the measured steps (NaN where there was none)."""
        return self._over_time("gradient")

    def ratios(self) -> dict[str, list[float]]:
        """Each layer's update / weight over the measured steps."""
        return self._over_time("ratio")

    def _over_time(self, what: str) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for flow in self.history:
            for layer in flow.layers:
                value = getattr(layer, what)
                found.setdefault(layer.name, []).append(math.nan if value is None else value)
        return found

    def blocks(self) -> list[Block]:
        if not self.history:
            return [Table("gradient flow: no step was measured yet", ())]
        rows = [
            (
                str(flow.step),
                flow.verdict,
                *(f"{g:.3g}" for g in _ends(flow)),
                "-" if flow.amplification is None else f"{flow.amplification:.3g}",
            )
            for flow in self.history
        ]
        head = ("step", "verdict", "first |gradient|", "last |gradient|", "per layer")
        title = f"gradient flow over {self.step} steps, every {self.every} measured"
        last = self.history[-1]
        return [Table(title, head, rows), *last.blocks()]

    def to_json(self) -> dict[str, Any]:
        """Every measurement as plain containers."""
        return {
            "steps": self.step,
            "every": self.every,
            "history": [flow.to_json() for flow in self.history],
        }

    def to_svg(self) -> str:
        """Each layer's gradient norm over the steps, on a logarithmic scale."""
        steps = [float(flow.step or 0) for flow in self.history]
        norms = self.norms()
        names = list(norms)
        if len(names) > 6:  # the ends and what lies evenly between
            names = [names[round(k * (len(names) - 1) / 5)] for k in range(6)]
        series = [(name, steps, norms[name]) for name in names]
        return line_chart(series, title="gradient norms by layer", x_label="step", log_y=True)

    def _repr_html_(self) -> str:
        if not self.history:
            return html.fragment("<p>no step was measured yet</p>")
        return html.fragment(self.to_svg() + self.history[-1]._repr_html_())

    def to_html(self) -> str:
        """One self-contained page."""
        body = f"<h1>{escape(str(self.blocks()[0].title))}</h1>"  # type: ignore[union-attr]
        if self.history:
            table = self.blocks()[0]
            assert isinstance(table, Table)
            body += f"<div class='frame'>{self.to_svg()}</div>{html.table(table.head, table.rows)}"
            body += self.history[-1]._repr_html_()
        return html.page("gradient flow", body)


def _ends(flow: GradientFlow) -> tuple[float, float]:
    norms = [x.gradient for x in flow.layers if x.gradient is not None] or [math.nan]
    return norms[0], norms[-1]
