"""Schedules that rise and fall: CyclicLR, OneCycleLR, CosineAnnealingWarmRestarts."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from ...autograd import refusal
from ..optimizer import Optimizer
from ..taking_over import checked_state, take_over, whole
from .base import LRScheduler, check_optimizer, per_group, set_group_value


def _uses_betas(optimizer: Optimizer) -> bool:
    """Whether momentum is beta1; it must be one or the other."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise refusal.value(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled, but "
            f"{type(optimizer).__name__} has neither",
            fix="cycle_momentum=False.",
        )
    return "betas" in optimizer.defaults


def _set_momentum(group: dict[str, Any], value: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


def _always_full(x: float) -> float:
    return 1.0


def _halved_each_cycle(x: float) -> float:
    return 1 / (2.0 ** (x - 1))


def _power(gamma: float, x: float) -> float:
    return gamma**x


class CyclicLR(LRScheduler):
    """Between `base_lr` and `max_lr`, up and down, step by step (Smith, 2017)."""

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_group_value(group, "lr", lr)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        down = float(step_size_up if step_size_down is None else step_size_down)
        self.total_size = float(step_size_up) + down
        self.step_ratio = float(step_size_up) / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise refusal.value(
                f"mode is invalid and scale_fn is None: mode is {mode!r}",
                fix="'triangular', 'triangular2' or 'exp_range'.",
            )
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._init_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        self._scale_fn_ref: Callable[[float], float]
        if self.mode == "exp_range":
            self._scale_fn_ref, self.scale_mode = partial(_power, self.gamma), "iterations"
        else:
            halved = self.mode == "triangular2"
            self._scale_fn_ref = _halved_each_cycle if halved else _always_full
            self.scale_mode = "cycle"

    def _init_momentum(self, base: Any, top: Any, last_epoch: int) -> None:
        self.use_beta1 = _uses_betas(self.optimizer)
        self.base_momentums = per_group("base_momentum", self.optimizer, base)
        self.max_momentums = per_group("max_momentum", self.optimizer, top)
        if last_epoch != -1:
            return
        values = zip(
            self.max_momentums, self.base_momentums, self.optimizer.param_groups, strict=True
        )
        for high, low, group in values:
            _set_momentum(group, high, self.use_beta1)
            group["max_momentum"] = high
            group["base_momentum"] = low

    def scale_fn(self, x: float) -> float:
        """How high a cycle (or an iteration) reaches."""
        chosen = self._scale_fn_custom
        return self._scale_fn_ref(x) if chosen is None else chosen(x)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rising = x <= self.step_ratio
        share = x / self.step_ratio if rising else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            values = zip(
                self.base_momentums, self.max_momentums, self.optimizer.param_groups, strict=True
            )
            for low, high, group in values:
                _set_momentum(group, high - (high - low) * share * scale, self.use_beta1)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [low + (high - low) * share * scale for low, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of a custom `scale_fn`, what an object remembers."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        chosen = state.pop("_scale_fn_custom")
        plain = chosen is None or isinstance(chosen, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else chosen.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave; a custom `scale_fn` stays."""
        state = checked_state(self, state_dict, "_scale_fn_custom")
        saved = state["_scale_fn_custom"]
        with whole(self):
            super().load_state_dict({k: v for k, v in state.items() if k != "_scale_fn_custom"})
            self._init_scale_fn()
            if saved is not None and self._scale_fn_custom is not None:
                take_over(self._scale_fn_custom, saved)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines of `T_0`, `T_0 * T_mult`, ... epochs, each from the top (Loshchilov, 2017)."""

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise refusal.value(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise refusal.value(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise refusal.value(
                f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}"
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (lr - self.eta_min) * height for lr in self.base_lrs]

    def step(self, epoch: Any = None) -> None:
        """Go on by one epoch, or to an epoch, which may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with self._asked_by_step():
            values = self.get_lr()
        self._set(values)

    def _go_to(self, epoch: float) -> None:
        if epoch < 0:
            raise refusal.value(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n


class OneCycleLR(LRScheduler):
    """Up to `max_lr` and far down again within `total_steps` (Smith and Topin, 2018).

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> for step in range(2):
    ...     optimizer.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [1.0]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _total_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise refusal.value(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise refusal.value(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._anneal_func_type = anneal_strategy
        top = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for lr, group in zip(top, optimizer.param_groups, strict=True):
                group["initial_lr"] = lr / div_factor
                group["max_lr"] = lr
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._init_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _init_momentum(self, base: Any, top: Any, last_epoch: int) -> None:
        self.use_beta1 = _uses_betas(self.optimizer)
        lows = per_group("base_momentum", self.optimizer, base)
        highs = per_group("max_momentum", self.optimizer, top)
        if last_epoch == -1:
            for high, low, group in zip(highs, lows, self.optimizer.param_groups, strict=True):
                _set_momentum(group, high, self.use_beta1)
                group["max_momentum"] = high
                group["base_momentum"] = low

    def _anneal_func(self, start: float, end: float, share: float) -> float:
        if self._anneal_func_type == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise refusal.value(
                f"Tried to step {step} times. The specified number of total steps is "
                f"{self.total_steps}",
                fix="total_steps = epochs * len(loader), and one scheduler.step() per batch.",
            )
        start = 0.0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if step <= end or phase is self._schedule_phases[-1]:
                break
            start = end
        share = (step - start) / (end - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._anneal_func(*ends, share), self.use_beta1)
        return rates


def _total_steps(total: int | None, epochs: int | None, per_epoch: int | None) -> int:
    for name, value in (("total_steps", total), ("epochs", epochs), ("steps_per_epoch", per_epoch)):
        if name != "total_steps" and total is not None:
            break
        if value is not None and (value <= 0 or not isinstance(value, int)):
            raise refusal.value(f"Expected positive integer {name}, but got {value}")
    if total is not None:
        return total
    if epochs is None or per_epoch is None:
        raise refusal.value("You must define either total_steps OR (epochs AND steps_per_epoch)")
    return epochs * per_epoch


def _phases(total: int, share: float, three: bool) -> list[dict[str, Any]]:
    """From where to where learning rate and momentum go, and until which step."""

    def phase(end: float, lrs: tuple[str, str], momenta: tuple[str, str]) -> dict[str, Any]:
        return {
            "end_step": end,
            "start_lr": lrs[0],
            "end_lr": lrs[1],
            "start_momentum": momenta[0],
            "end_momentum": momenta[1],
        }

    up, down = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    first = phase(float(share * total) - 1, ("initial_lr", "max_lr"), up)
    if not three:
        return [first, phase(total - 1, ("max_lr", "min_lr"), down)]
    second = phase(float(2 * share * total) - 2, ("max_lr", "initial_lr"), down)
    still = ("max_momentum", "max_momentum")
    return [first, second, phase(total - 1, ("initial_lr", "min_lr"), still)]
