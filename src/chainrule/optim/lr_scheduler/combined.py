"""Schedulers made of schedulers: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ...autograd import refusal
from ..optimizer import Optimizer
from ..taking_over import checked_state, whole
from .base import LRScheduler, group_values, set_group_value
from .plateau import ReduceLROnPlateau


class _Combined(LRScheduler):
    """What both share: the schedulers belong to one optimizer and are saved together."""

    _schedulers: Sequence[Any]

    def _check(self, schedulers: Sequence[Any], optimizer: Any) -> None:
        own = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise refusal.wrong_type(
                    f"{own} at index {i} should have `optimizer` as its attribute."
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise refusal.value(
                    f"{own} does not support `ReduceLROnPlateau` scheduler as it requires "
                    "additional kwargs to be specified when calling `step`, but got one at index "
                    f"{i} in the given schedulers sequence.",
                    fix="step it apart from the others.",
                )
            if scheduler.optimizer is not optimizer:
                raise refusal.value(
                    f"{own} expects all schedulers to belong to the same optimizer, but got "
                    f"scheduler {type(scheduler).__name__} at index {i} has {scheduler.optimizer}, "
                    f"which is different from {type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """The state of this scheduler and, under `_schedulers`, of those it is made of."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        state = checked_state(self, state_dict, "_schedulers")
        with whole(self, *self._schedulers):
            self.__dict__.update({k: v for k, v in state.items() if k != "_schedulers"})
            for scheduler, saved in zip(self._schedulers, state["_schedulers"], strict=False):
                scheduler.load_state_dict(saved)


class SequentialLR(_Combined):
    """One scheduler until a milestone, then the next: a warm-up before a decay, say.

    >>> import chainrule as torch
    >>> from chainrule.optim.lr_scheduler import ConstantLR, ExponentialLR, SequentialLR
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> parts = [ConstantLR(optimizer, factor=0.5, total_iters=9), ExponentialLR(optimizer, 0.9)]
    >>> scheduler = SequentialLR(optimizer, parts, milestones=[2])
    >>> for epoch in range(4):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [0.5]
    [1.0]
    [0.9]
    [0.81]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        if len(schedulers) < 1:
            raise refusal.value(
                f"{type(self).__name__} expects at least one scheduler, but got no scheduler."
            )
        self._check(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise refusal.value(
                "Sequential Schedulers expects number of schedulers provided to be one more than "
                f"the number of milestone points, but got number of schedulers {len(schedulers)} "
                f"and the number of milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each scheduler has set the rates of its own start; begin again with the first alone.
        for group in optimizer.param_groups:
            set_group_value(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the step that each scheduler made when it was made."""
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for part in scheduler._schedulers:
                self.recursive_undo(part)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Step the scheduler whose turn it is; one that begins starts from its epoch 0."""
        self.last_epoch += 1
        at = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[at]
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """Several schedulers at once: each changes what the others left."""

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        if len(schedulers) < 1:
            raise refusal.value(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no "
                "scheduler."
            )
        chosen: Any = optimizer or getattr(schedulers[0], "optimizer", None)
        self._check(schedulers, chosen)
        self._schedulers = schedulers
        self.optimizer = chosen
        self._last_lr = group_values(self.optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Step all of them."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = group_values(self.optimizer, "lr")
