"""Schedules that multiply the learning rate: by functions, at milestones, along a curve."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ...autograd import refusal
from ..optimizer import Optimizer
from ..taking_over import checked_state, take_over, whole
from .base import LRScheduler, saved_functions

Factor = Callable[[int], float]


class _ByFunctions(LRScheduler):
    """One function of the epoch per group."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1
    ) -> None:
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if isinstance(lr_lambda, list | tuple):
            if len(lr_lambda) != count:
                raise refusal.value(
                    f"Expected {count} lr_lambdas, but got {len(lr_lambda)}",
                    fix="one function per parameter group.",
                )
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * count
        for function in self.lr_lambdas:
            if not callable(function):
                raise refusal.wrong_type(
                    f"lr_lambda should be a function, but got {type(function).__name__}"
                )
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of the functions, what callable objects remember."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = saved_functions(self.lr_lambdas)
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave; functions stay, callable objects are updated."""
        state = checked_state(self, state_dict, "lr_lambdas")
        pairs = [*zip(self.lr_lambdas, state["lr_lambdas"], strict=False)]
        with whole(self, *(function for function, saved in pairs if saved is not None)):
            super().load_state_dict({k: v for k, v in state.items() if k != "lr_lambdas"})
            for function, saved in pairs:
                if saved is not None:
                    take_over(function, saved)


class LambdaLR(_ByFunctions):
    """The first learning rate times a function of the epoch.

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.9**epoch)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.45]
    """

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [lr * function(self.last_epoch) for function, lr in pairs]


class MultiplicativeLR(_ByFunctions):
    """The last learning rate times a function of the epoch."""

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        if self._is_initial:
            return self._unchanged()
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * function(self.last_epoch) for function, group in pairs]


class StepLR(LRScheduler):
    """Times `gamma` every `step_size` epochs.

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
    >>> for epoch in range(2):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [0.5]
    [0.05]
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._unchanged()
        return self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._base_times(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Times `gamma` at each milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        if self.last_epoch not in self.milestones:
            return self._unchanged()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return self._base_times(self.gamma**passed)


class ConstantLR(LRScheduler):
    """A smaller learning rate for the first `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise refusal.value(
                "Constant multiplicative factor expected to be between 0 and 1., but it is "
                f"{factor}"
            )
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch != self.total_iters:
            return self._unchanged()
        return self._times(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return self._base_times(self.factor + over * (1 - self.factor))


class LinearLR(LRScheduler):
    """From `start_factor` to `end_factor` in even steps: a warm-up.

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
    >>> for epoch in range(2):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [0.75]
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise refusal.value(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to "
                f"1., but it is {start_factor}"
            )
        if end_factor > 1.0 or end_factor < 0:
            raise refusal.value(
                "Ending multiplicative factor expected to be between 0 and 1., but it is "
                f"{end_factor}"
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        rise = self.end_factor - self.start_factor
        reached = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._times(1.0 + rise / reached)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        return self._base_times(self.start_factor + rise * share)


class ExponentialLR(LRScheduler):
    """Times `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        return self._unchanged() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return self._base_times(self.gamma**self.last_epoch)


class PolynomialLR(LRScheduler):
    """To zero in `total_iters` epochs, along a power of what is left."""

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._times((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        share = min(self.total_iters, self.last_epoch) / self.total_iters
        return self._base_times((1.0 - share) ** self.power)


class CosineAnnealingLR(LRScheduler):
    """Down to `eta_min` along half a cosine of `T_max` epochs, and up again after it.

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> for epoch in range(2):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print([round(lr, 4) for lr in scheduler.get_last_lr()])
    [0.5]
    [0.0]
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        epoch, period, least = self.last_epoch, self.T_max, self.eta_min
        if self._is_initial:
            return self._unchanged()
        if self._step_count == 1 and epoch > 0:
            return self._get_closed_form_lr()
        if (epoch - 1 - period) % (2 * period) == 0:  # the turn: the quotient below would be 0 / 0
            rise = (1 - math.cos(math.pi / period)) / 2
            pairs = zip(self.base_lrs, self.optimizer.param_groups, strict=True)
            return [group["lr"] + (base - least) * rise for base, group in pairs]
        now = 1 + math.cos(math.pi * epoch / period)
        before = 1 + math.cos(math.pi * (epoch - 1) / period)
        groups = self.optimizer.param_groups
        return [now / before * (group["lr"] - least) + least for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (lr - self.eta_min) * height for lr in self.base_lrs]
