"""Averages of weights along training: stochastic weight averaging and moving averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

import chainrule as cr

from ..autograd import refusal
from ..autograd.accidents import explain_module
from ..nn import Module
from .lr_scheduler.base import LRScheduler, per_group
from .optimizer import Optimizer
from .taking_over import whole

Tensors = list[Any] | tuple[Any, ...]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise refusal.value(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """A function that moves lists of averages towards the present values, in place."""
    _check_decay(decay)

    @cr.no_grad()
    def ema_update(averages: Tensors, values: Tensors, count: Any) -> None:
        for average, value in zip(averages, values, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(value, 1 - decay)
            else:
                average.copy_(average * decay + value * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """A function that takes the present values into lists of equal averages, in place."""

    @cr.no_grad()
    def swa_update(averages: Tensors, values: Tensors, count: Any) -> None:
        share = 1 / (float(count) + 1)
        for average, value in zip(averages, values, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(value, share)
            else:
                average.copy_(average + (value - average) * share)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """A function that gives an exponential moving average with the present value in it."""
    _check_decay(decay)

    @cr.no_grad()
    def ema_update(average: Any, value: Any, count: Any) -> Any:
        return decay * average + (1 - decay) * value

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """A function that gives the equal average with the present value in it."""

    @cr.no_grad()
    def swa_update(average: Any, value: Any, count: Any) -> Any:
        return average + (value - average) / (count + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's along training.

    >>> import chainrule as torch
    >>> model = torch.nn.Linear(1, 1, bias=False)
    >>> average = torch.optim.swa_utils.AveragedModel(model)
    >>> for value in (1.0, 3.0):
    ...     _ = model.weight.data.fill_(value)
    ...     average.update_parameters(model)
    >>> average.module.weight.item(), average.n_averaged.item()
    (2.0, 2)
    """

    n_averaged: Any

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", cr.tensor(0, dtype=cr.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The averaged model's result."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's present parameters into the averages."""
        averages, values = self._pairs(model)
        if int(self.n_averaged) == 0:
            for average, value in zip(averages, values, strict=True):
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in zip(averages, values, strict=True):
                average.copy_(self.avg_fn(average, value, self.n_averaged))
        elif averages:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            for of_type in _by_type(averages, values):
                update(*of_type, self.n_averaged)
        if not self.use_buffers:
            for mine, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                mine.detach().copy_(theirs.detach())
        self.n_averaged += 1

    def _pairs(self, model: Module) -> tuple[list[Any], list[Any]]:
        """Averages and present values, detached: parameters, and buffers if they count."""
        mine: Iterable[Any] = self.module.parameters()
        theirs: Iterable[Any] = model.parameters()
        if self.use_buffers:
            mine = chain(mine, self.module.buffers())
            theirs = chain(theirs, model.buffers())
        pairs = [(a.detach(), v.detach()) for a, v in zip(mine, theirs, strict=False)]
        return [a for a, _ in pairs], [v for _, v in pairs]


def _by_type(averages: list[Any], values: list[Any]) -> list[tuple[list[Any], list[Any]]]:
    """The lists split by type, as functions that update many tensors at once may expect."""
    groups: dict[Any, tuple[list[Any], list[Any]]] = {}
    for average, value in zip(averages, values, strict=True):
        group = groups.setdefault(average.dtype, ([], []))
        group[0].append(average)
        group[1].append(value)
    return list(groups.values())


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch norms anew, in one pass over the data."""
    from ..nn.modules.batchnorm import _BatchNorm

    norms = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    was_training = model.training
    model.train()
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None  # the equal average of all batches
    for batch in loader:
        x = batch[0] if isinstance(batch, list | tuple) else batch
        model(x if device is None else x.to(device))
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """From the present learning rate to `swa_lr` within `anneal_epochs`, then constant.

    >>> import chainrule as torch
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.swa_utils.SWALR(optimizer, 0.5, 2, anneal_strategy="linear")
    >>> for epoch in range(3):
    ...     optimizer.step()
    ...     scheduler.step()
    ...     print(scheduler.get_last_lr())
    [0.75]
    [0.5]
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = per_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise refusal.value(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise refusal.value(
                f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}"
            )
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _set_anneal_func(self, strategy: str) -> None:
        self._anneal_strategy = strategy
        self.anneal_func = _cosine_share if strategy == "cos" else float

    def get_lr(self) -> list[Any]:
        self._warn_unless_asked_by_step()
        step, epochs = self._step_count - 1, max(1, self.anneal_epochs)
        if self.anneal_epochs == 0:
            step = max(1, step)
        before = self.anneal_func(max(0, min(1, (step - 1) / epochs)))
        share = self.anneal_func(max(0, min(1, step / epochs)))
        rates = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            # The rate at the start, from the present one and how far it has come.
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            rates.append(goal * share + start * (1 - share))
        return rates

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        state = super().state_dict()
        del state["anneal_func"]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        with whole(self):
            super().load_state_dict(state_dict)
            self._set_anneal_func(self._anneal_strategy)


def _cosine_share(t: float) -> float:
    return (1 - math.cos(math.pi * t)) / 2


__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


explain_module(globals())
