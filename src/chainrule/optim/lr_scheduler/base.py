"""LRScheduler: counts steps and sets the groups' learning rates."""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import chainrule as cr

from ...autograd import refusal
from ...autograd.accidents import explain_methods
from ...autograd.source import warn_user
from ..optimizer import Optimizer
from ..taking_over import checked_state

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where "
    "possible: call `scheduler.step()`. As long as it is accepted, an epoch selects the closed "
    "form of the schedule instead of the chainable one, where there is one."
)


def check_optimizer(optimizer: Any) -> None:
    """A scheduler needs an optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise refusal.wrong_type(
            f"{type(optimizer).__name__} is not an Optimizer",
            fix="pass the optimizer, not the model or its parameters.",
        )


def group_values(optimizer: Optimizer, key: str) -> list[Any]:
    """`group[key]` of all groups; tensors are copied, as they change in place."""
    values = [group[key] for group in optimizer.param_groups]
    return [v.clone() if isinstance(v, cr.Tensor) else v for v in values]


def set_group_value(group: dict[str, Any], key: str, value: Any) -> None:
    """Set `group[key]`; a tensor there is filled, so that whoever holds it sees the change."""
    if isinstance(group[key], cr.Tensor):
        group[key].fill_(value.item() if isinstance(value, cr.Tensor) else value)
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """One value for each group."""
    count = len(optimizer.param_groups)
    if not isinstance(value, list | tuple):
        value = [value] * count
    elif len(value) != count:
        raise refusal.value(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} "
            f"values, param_groups has {count}."
        )
    return [v.clone() if isinstance(v, cr.Tensor) else v for v in value]


def saved_functions(functions: list[Any]) -> list[Any]:
    """What can be saved of functions: the attributes of callable objects, nothing of functions."""
    return [None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in functions]


def _mark_calls(optimizer: Optimizer) -> None:
    """Let the optimizer note that `step` was called, to tell users of the wrong order."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    reference, step = weakref.ref(optimizer), optimizer.step.__func__  # type: ignore[attr-defined]

    @functools.wraps(step)
    def marking(*args: Any, **kwargs: Any) -> Any:
        owner: Any = reference()
        owner._opt_called = True
        return step(owner, *args, **kwargs)

    marking._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = marking  # type: ignore[method-assign]


def _warn_get_lr_called_within_step(lr_scheduler: Any) -> None:
    """`get_lr` computes the next value from the present one: users want `get_last_lr`."""
    if not lr_scheduler._get_lr_called_within_step:
        warn_user(
            "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
            UserWarning,
        )


class LRScheduler:
    """Base of all schedulers: `get_lr` gives the learning rates of the present `last_epoch`.

    >>> import chainrule as torch
    >>> class Halving(torch.optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr * 0.5**self.last_epoch for lr in self.base_lrs]
    >>> optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    >>> scheduler = Halving(optimizer)
    >>> optimizer.step(); scheduler.step()
    >>> scheduler.get_last_lr()
    [0.5]
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        explain_methods(cls, "__init__", "step")

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                lr = group["lr"]
                group.setdefault("initial_lr", lr.clone() if isinstance(lr, cr.Tensor) else lr)
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    f"scheduler with last_epoch >= 0 (it is {last_epoch}). Load the optimizer's "
                    "state before making the scheduler, or leave last_epoch at -1 for a new run."
                )
        self.base_lrs: list[Any] = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        self._last_lr: list[Any] = []
        _mark_calls(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the learning rates of the first epoch."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` gave."""
        self.__dict__.update(checked_state(self, state_dict))

    def get_last_lr(self) -> list[Any]:
        """The learning rates set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The learning rates of `last_epoch`, often computed from the present ones."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch; call it after `optimizer.step()`."""
        if self._step_count == 1:
            self._warn_about_order()
        self._step_count += 1
        if epoch is not None:
            warn_user(EPOCH_DEPRECATION_WARNING, UserWarning)
        self._update_lr(epoch)

    def _warn_about_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warn_user(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before "
                "`lr_scheduler.step()`.",
                UserWarning,
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warn_user(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. Call them in "
                "the opposite order: otherwise the first value of the learning rate schedule is "
                "skipped. See "
                "https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
            )

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._asked_by_step():
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                closed: Callable[[], list[Any]] = getattr(self, "_get_closed_form_lr", self.get_lr)
                values = closed()
        self._set(values)

    def _set(self, values: list[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_group_value(group, "lr", value)
        self._last_lr = group_values(self.optimizer, "lr")

    @contextmanager
    def _asked_by_step(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _warn_unless_asked_by_step(self) -> None:
        _warn_get_lr_called_within_step(self)

    # ---- words for the schedules -----------------------------------------------------------------

    def _unchanged(self) -> list[Any]:
        return group_values(self.optimizer, "lr")

    def _times(self, factor: float) -> list[Any]:
        """The present learning rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _base_times(self, factor: float) -> list[Any]:
        """The first learning rates times a factor."""
        return [lr * factor for lr in self.base_lrs]


explain_methods(LRScheduler, "__init__", "step", "load_state_dict")
