"""accumulation-unscaled: gradients of several batches are added, not averaged."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any
from weakref import ref

from ...reading.nodes import Vertex
from ..finding import WARNING, Finding
from ..positions import Position
from ..run import Pass, Step
from ..vitals import rms, sample
from .base import Rule

WINDOWS = 3  # steps with the same number of passes before them
NEARLY = 0.1
FEW = 2
LAST_OPS = 6  # of the loss in which a division is looked for


class AccumulationUnscaled(Rule):
    """Watches several backward passes of one line before each step, on a loss that is not divided
    by their number: the step is then so many times too large.

    Silent: losses divided or multiplied anywhere near their end, sums instead of means, gradients
    that are divided before the step, two different losses per step.
    """

    id = "accumulation-unscaled"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._since: dict[Position, int] = {}  # passes of each line since the last step
        self._mean: dict[Position, bool] = {}  # whether the loss is a plain mean
        self._windows: dict[Position, list[int]] = {}
        self._scaled = False
        self._leaves: list[Any] = []  # some of the latest pass
        self._inside = False  # of a step
        self._size = 0.0  # of the gradients after the latest pass
        self._ratios: dict[Position, list[float]] = {}  # by which they change before a step

    def pass_begins(self, this: Pass) -> None:
        if self._inside:
            return  # a closure: the optimizer asks for it as often as it likes
        position = this.site.position
        if this.tape is not None and not any(_size([leaf]) for leaf in this.leaves):
            self._since = {}  # nothing to add to: every pass has the gradients to itself
        self._since[position] = self._since.get(position, 0) + 1
        if this.tape is not None:
            root = this.tape.root
            if self._scaled and root.op == "mul" and root.inputs:
                root = root.inputs[0].parent  # what scaler.scale() multiplied
            plain = not this.seeded and not this.retain and is_plain_mean(root)
            self._mean[position] = plain and self._mean.get(position, True)

    def scaler_used(self, scaler: Any, *_event: Any) -> None:
        self._scaled = bool(scaler.is_enabled())

    def pass_ends(self, this: Pass) -> None:
        if this.tape is None or self._inside or self._since.get(this.site.position, 0) < 2:
            return
        some = this.leaves[:FEW]  # all are divided alike
        self._size = _size(some)
        self._leaves = [ref(leaf) for leaf in some]

    def step_begins(self, this: Step) -> None:
        if len(self._since) == 1:
            (position, count), *_ = self._since.items()
            self._windows.setdefault(position, []).append(count)
            if this.looked and count > 1 and self._size > 0:
                now = _size([p for r in self._leaves if (p := r()) is not None])
                self._ratios.setdefault(position, []).append(now / self._size)
        elif len(self._since) > 1:
            for position in self._since:
                self._windows.setdefault(position, []).append(0)
        self._since = {}
        self._inside = True

    def step_ends(self, _this: Step) -> None:
        self._inside = False

    def _is_divided(self, position: Position, number: int) -> bool:
        """Whether the program itself divides the gradients by the number of passes."""
        ratios = self._ratios.get(position, [])
        return bool(ratios) and abs(median(ratios) * number - 1) < NEARLY

    def findings(self) -> Iterator[Finding]:
        for position, windows in self._windows.items():
            usual = max(set(windows), key=windows.count)
            same = windows.count(usual)
            if usual < 2 or same < WINDOWS or same < 0.7 * len(windows):
                continue
            if not self._mean.get(position) or self._is_divided(position, usual):
                continue
            yield Finding(
                self.id,
                WARNING,
                position,
                f"{usual} backward passes are added up before each step, but the loss is not "
                f"divided by {usual}",
                [f"{same} steps had {usual} passes each: {usual} times the average gradient"],
                f"(loss / {usual}).backward()",
            )


def _size(leaves: list[Any]) -> float:
    return sum(rms(g) for leaf in leaves if (g := sample(leaf.grad)) is not None and g.size)


def is_plain_mean(root: Vertex) -> bool:
    """Whether a loss is the mean over a batch and nothing scales it afterwards."""
    v = root
    for _ in range(LAST_OPS):
        if v.op in ("mul", "div", "sum") or v.node is None:
            return False
        if (
            v.op == "mean"
            or v.op.endswith("loss")
            or "entropy" in v.op
            or v.op == "bce_with_logits"
        ):
            settings = v.parameters()
            return settings.get("reduction", "mean") == "mean"
        inner = [link.parent for link in v.inputs if link.parent.node is not None]
        if len(inner) != 1:
            return False
        v = inner[0]
    return False
