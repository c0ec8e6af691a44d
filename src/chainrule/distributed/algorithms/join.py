"""Uneven inputs: a process that has no more of them takes part with zeros until all are done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import chainrule as torch

from ..collectives import all_reduce
from ..reduction import ReduceOp


class JoinHook:
    """What a process does in the place of a step, and at the end."""

    def main_hook(self) -> None:
        """Once for every step that others make."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Once, when nobody has inputs any more."""


class _JoinConfig(NamedTuple):
    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool


class Joinable:
    """Something whose steps can be joined with zeros."""

    def __init__(self) -> None:
        object.__setattr__(self, "_join_config", _JoinConfig(False, False, False))

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What to do when inputs have ended."""
        raise NotImplementedError

    @property
    def join_process_group(self) -> Any:
        """The group it works in."""
        raise NotImplementedError


class Join:
    """A context in which processes may have different numbers of inputs."""

    def __init__(
        self, joinables: Sequence[Any], enable: bool = True,
        throw_on_early_termination: bool = False, **kwargs: Any,
    ) -> None:  # fmt: skip
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = list(joinables)
        self._group = self._joinables[0].join_process_group
        self._enable = enable and self._group is not None and self._group.size() > 1
        self._throws = throw_on_early_termination
        self._hooks = [joinable.join_hook(**kwargs) for joinable in self._joinables]

    def __enter__(self) -> None:
        for number, joinable in enumerate(self._joinables):
            config = _JoinConfig(self._enable, self._throws, number == 0)
            object.__setattr__(joinable, "_join_config", config)

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        try:
            if self._enable and kind is None:
                self._stay()
        finally:
            for joinable in self._joinables:
                object.__setattr__(joinable, "_join_config", _JoinConfig(False, False, False))

    def _stay(self) -> None:
        """Take part until nobody has inputs."""
        is_last = True
        while True:
            active = torch.zeros(1)
            all_reduce(active, ReduceOp.SUM, self._group)
            if active.item() == 0:
                break
            if self._throws:
                self._tell_end()
            is_last = False
            for hook in self._hooks:
                hook.main_hook()
        for hook in self._hooks:
            hook.post_hook(is_last)

    def _tell_end(self) -> None:
        ended = torch.ones(1)
        all_reduce(ended, ReduceOp.SUM, self._group)
        raise RuntimeError(
            f"Rank {self._group.rank()} exhausted all inputs: throw_on_early_termination ends the "
            "training of all ranks."
        )

    @staticmethod
    def notify_join_context(joinable: Any) -> Any:
        """Tell the others that this process has inputs; what to wait for before its collectives."""
        config = joinable._join_config
        if not config.enable or not config.is_first_joinable:
            return None
        group = joinable.join_process_group
        count = torch.ones(1)
        object.__setattr__(joinable, "_join_count", count)
        work = all_reduce(count, ReduceOp.SUM, group, async_op=True)
        if config.throw_on_early_termination:
            _check_nobody_ended(count, work, group)
        return work


def _check_nobody_ended(count: Any, work: Any, group: Any) -> None:
    work.wait()
    if count.item() < group.size():
        all_reduce(torch.zeros(1), ReduceOp.SUM, group)
        raise RuntimeError(
            "Detected at least one rank that exhausted inputs. Throwing across all ranks."
        )


for _kind in (Join, JoinHook, Joinable):
    _kind.__module__ = "chainrule.distributed.algorithms.join"
__all__ = ["Join", "JoinHook", "Joinable"]
