"""missing-zero-grad: gradients of earlier steps are used again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

from ..finding import ERROR, Finding
from ..positions import NOWHERE, Position
from ..run import Pass, Step
from .base import Rule, fingerprint, version

STRIKES = 3  # updates in a row that used old gradients once more


class _Parameter:
    def __init__(self, leaf: Any) -> None:
        self.ref = ref(leaf)
        self.version = version(leaf)
        self.consumed: Any = None  # the gradient that the last update used
        self.after_pass: Any = None
        self.stepped = False  # an optimizer used the gradient since the last pass
        self.stale = False  # the gradient there now was used before and has been added to
        self.strikes = 0
        self.where: Position = NOWHERE
        self.value: Any = None  # after the latest pass, where no optimizer is there

    def was_written(self, leaf: Any) -> bool:
        if version(leaf) != self.version:
            return True
        return self.value is not None and fingerprint(leaf) != self.value


class MissingZeroGrad(Rule):
    """Watches the buffers, not the calls: a gradient that an update has used is still there,
    unchanged, when backward adds to it (of one loss or of several), and the sum is used by the next
    update; three times in a row for one parameter.

    Silent: accumulation over several passes and one step (nothing was used in between); gradients
    that another loss leaves in a network that is zeroed before its own pass (GANs); any way of
    zeroing: `.grad = None`, `.grad.zero_()`, in a closure, before or after; decayed gradients.
    """

    id = "missing-zero-grad"

    def __init__(self, run: Any) -> None:
        super().__init__(run)
        self._known: dict[int, _Parameter] = {}
        self._worst: dict[Position, tuple[int, set[str]]] = {}

    def pass_begins(self, this: Pass) -> None:
        for leaf in this.leaves:
            known = self._of(leaf)
            if known is None:
                continue
            now = fingerprint(leaf.grad)
            if known.stepped or known.was_written(leaf):  # it was updated, perhaps by hand
                if not known.stepped:
                    known.consumed = known.after_pass
                self._updated(known)
            is_old = now == known.consumed or (known.stale and now == known.after_pass)
            known.stale = now is not None and is_old
            known.stepped = False
            if known.stale:
                known.where = this.site.position  # of the passes that add to it, the last

    def pass_ends(self, this: Pass) -> None:
        for leaf in this.leaves:
            known = self._of(leaf)
            if known is not None:
                known.version = version(leaf)
                if not self.run.optimizers:  # `p.data -= ...` goes past the counter
                    known.value = fingerprint(leaf)
                known.after_pass = fingerprint(leaf.grad)

    def step_begins(self, this: Step) -> None:
        if not this.looked:
            return
        for p in this.optimizer.parameters:
            known = self._known.get(id(p))
            if known is not None and known.ref() is p:
                known.consumed = fingerprint(p.grad)
                known.stepped = True

    def _updated(self, known: _Parameter) -> None:
        known.strikes = known.strikes + 1 if known.stale else 0
        if known.strikes >= STRIKES:
            name = self.run.names().get(id(known.ref()), "")
            count, names = self._worst.setdefault(known.where, (0, set()))
            names.add(name)
            self._worst[known.where] = (max(count, known.strikes), names)

    def _of(self, leaf: Any) -> _Parameter | None:
        if not leaf._rg:
            return None
        known = self._known.get(id(leaf))
        if known is None or known.ref() is not leaf:
            known = self._known[id(leaf)] = _Parameter(leaf)
        return known

    def findings(self) -> Iterator[Finding]:
        for position, (count, names) in self._worst.items():
            some = ", ".join(sorted(n for n in names if n)[:3]) or "the parameters"
            loss = position.text.split(".backward")[0].strip() or "loss"
            yield Finding(
                self.id,
                ERROR,
                position,
                "gradients are never reset: every step adds the gradients of all steps before it",
                [
                    f"{some}: the gradient that a step had used was still there when the next "
                    f"backward() added to it, {count} times in a row"
                ],
                f"optimizer.zero_grad()  # before {loss}.backward()",
                about=frozenset({("site", position)}),
            )
