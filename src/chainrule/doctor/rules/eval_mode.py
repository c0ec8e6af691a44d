"""eval-mode-training: dropout and batch norm are switched off while the model trains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ...nn.modules import batchnorm, dropout, rnn
from ...nn.modules.multihead import MultiheadAttention
from ..finding import WARNING, Finding
from ..positions import NOWHERE, Position
from ..run import Pass, Step
from .base import Rule

ENOUGH = 5
MOSTLY = 1.2  # passes in train mode for each in eval mode


class EvalModeTraining(Rule):
    """Watches the modules whose behaviour depends on the mode, in models that a pass trains:
    steps after passes with them in eval mode, after a line that called eval() on the model; also
    parts with dropout that came in eval mode into a model that nobody ever told its mode.

    Silent: frozen parts (no trainable parameters of their own, or eval() called on the part
    after train() on the whole), dropout with p = 0, norms without running statistics, models that
    are in training mode most of the time, passes that no step uses (attacks on the input).
    """

    id = "eval-mode-training"
    hears_all = True

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._set: dict[int, tuple[bool, Position]] = {}  # by root module: its latest mode
        self._asleep: dict[int, int] = {}
        self._awake: dict[int, int] = {}
        self._which: dict[int, tuple[str, Position]] = {}
        self._last: list[Any] = []  # the models that the latest pass trained
        self._pending: dict[int, bool] = {}  # models since the latest step: trained asleep?

    def mode_set(self, module: Any, mode: bool, where: Position) -> None:
        if where.is_users:
            self._set[id(module)] = (mode, where)

    def pass_ends(self, this: Pass) -> None:
        if not this.looked:
            self._note_again()
            return
        self._last = []
        trained = {id(leaf) for leaf in this.leaves} & self.run.in_optimizers()
        for root in self.run.roots():
            if not any(id(p) in trained for p in root.parameters()):
                continue
            self._last.append(ref(root))
            asleep, place = self._asleep_in(root, trained)
            self._pending[id(root)] = bool(asleep)
            if asleep:
                kinds = ", ".join(sorted({type(m).__name__ for m in asleep}))
                self._which[id(root)] = (kinds, place)

    def _asleep_in(self, root: Any, trained: set[int]) -> tuple[list[Any], Position]:
        """The modules that do not work as they should while a model is trained, and the line that
        put them to sleep."""
        if not root.training:
            sensitive = [m for m in root.modules() if is_sensitive(m)]
            asleep = sensitive if not any(m.training for m in sensitive) else []
            return asleep, self._set.get(id(root), (False, NOWHERE))[1]
        if id(root) in self._set:
            return [], NOWHERE  # somebody has thought about its mode
        for part in root.modules():
            if part is root or part.training or is_sensitive(part):
                continue
            asleep = [m for m in part.modules() if is_sensitive(m)]
            drops = [m for m in asleep if not isinstance(m, batchnorm._NormBase)]
            if drops and any(id(p) in trained for p in part.parameters()):
                return asleep, self._set.get(id(part), (False, NOWHERE))[1]
        return [], NOWHERE

    def _note_again(self) -> None:
        """A pass that is not looked at trains what the latest one trained."""
        for root in (r() for r in self._last):
            if root is None:
                continue
            if root.training:
                self._pending[id(root)] = False
                continue
            if id(root) not in self._which:
                sensitive = [m for m in root.modules() if is_sensitive(m)]
                kinds = ", ".join(sorted({type(m).__name__ for m in sensitive}))
                _, where = self._set.get(id(root), (False, NOWHERE))
                self._which[id(root)] = (kinds, where)
            self._pending[id(root)] = bool(self._which[id(root)][0])

    def step_ends(self, _this: Step) -> None:
        """The latest pass of each model counts: gradients of earlier ones may be thrown away."""
        for key, asleep in self._pending.items():
            count = self._asleep if asleep else self._awake
            count[key] = count.get(key, 0) + 1
        self._pending.clear()

    def findings(self) -> Iterator[Finding]:
        for key, count in self._asleep.items():
            awake = self._awake.get(key, 0)
            if count < ENOUGH or awake > MOSTLY * count or self.run.steps < ENOUGH:
                continue
            kinds, where = self._which[key]
            yield Finding(
                self.id,
                WARNING,
                where if where.code is not None else self._site(),
                f"the model is trained in eval mode: {kinds} do not work as they should",
                [f"{count} of {count + awake} steps came from passes in eval mode"],
                "model.train()  # before the training loop of every epoch",
            )

    def _site(self) -> Position:
        return next(iter(self.run.sites), NOWHERE)


def is_sensitive(module: Any) -> bool:
    """Whether a module computes something else in eval mode."""
    if isinstance(module, dropout._DropoutNd):
        return module.p > 0
    if isinstance(module, rnn.RNNBase):
        return module.dropout > 0 and module.num_layers > 1
    if isinstance(module, MultiheadAttention):
        return module.dropout > 0
    return isinstance(module, batchnorm._NormBase) and module.track_running_stats
