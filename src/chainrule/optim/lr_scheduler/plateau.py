"""ReduceLROnPlateau."""

from __future__ import annotations

import math
from typing import Any, SupportsFloat

from ...autograd import refusal
from ...autograd.source import warn_user
from ..optimizer import Optimizer
from ..taking_over import whole
from .base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    check_optimizer,
    group_values,
    set_group_value,
)


class ReduceLROnPlateau(LRScheduler):
    """Times `factor` when a measure has not become better for more than `patience` epochs.

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    >>> for loss in (3.0, 2.0, 2.0, 2.0):
    ...     scheduler.step(loss)
    >>> scheduler.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise refusal.value(f"Factor should be < 1.0., but it is {factor}")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        self.default_min_lr: Any = None
        if isinstance(min_lr, list | tuple):
            if len(min_lr) != count:
                raise refusal.value(f"expected {count} min_lrs, got {len(min_lr)}")
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * count
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = group_values(optimizer, "lr")
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode: str, threshold: float, threshold_mode: str) -> None:
        if mode not in ("min", "max"):
            raise refusal.value(f"mode {mode} is unknown!", fix="min or max.")
        if threshold_mode not in ("rel", "abs"):
            raise refusal.value(f"threshold mode {threshold_mode} is unknown!", fix="rel or abs.")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        """Forget the best value and count anew."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Look at this epoch's measure, such as the validation loss."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warn_user(EPOCH_DEPRECATION_WARNING, UserWarning)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0  # bad epochs do not count now
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = group_values(self.optimizer, "lr")

    def _reduce_lr(self, epoch: int) -> None:  # libraries replace it, and take the epoch
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise refusal.runtime(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from "
                    f"when `ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due "
                    "to a new param group being added to the optimizer. Please modify the "
                    "`min_lrs` field to match the length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_group_value(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether it still waits after a reduction."""
        return self.cooldown_counter > 0

    def _is_better(self, value: float, best: float) -> bool:
        if self.mode == "min":
            relative = self.threshold_mode == "rel"
            return value < (best * (1.0 - self.threshold) if relative else best - self.threshold)
        if self.threshold_mode == "rel":
            return value > best * (self.threshold + 1.0)
        return value > best + self.threshold

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        with whole(self):
            super().load_state_dict(state_dict)
            self._init_is_better(self.mode, self.threshold, self.threshold_mode)
