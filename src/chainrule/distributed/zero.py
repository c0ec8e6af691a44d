"""`ZeroRedundancyOptimizer`: each process keeps the optimizer state of some of the parameters."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ..autograd import refusal
from ..optim import Optimizer
from .algorithms.join import Join, Joinable, JoinHook
from .ddp.sync import broadcast_all
from .group import current
from .objects import gather_object


class _StepsOfOthers(JoinHook):
    """While others have inputs: update the own parameters and hand all of them on."""

    def __init__(self, zero: ZeroRedundancyOptimizer) -> None:
        self._zero = zero

    def main_hook(self) -> None:
        """One step of the others."""
        self._zero.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer whose state lies cut between processes; each updates its parameters for all."""

    def __init__(
        self, params: Any, optimizer_class: Callable[..., Any], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise NotImplementedError("ZeroRedundancyOptimizer(overlap_with_ddp=True)")
        self.process_group = current(process_group)
        self._class, self._defaults = optimizer_class, defaults
        self._all_states: list[Any] | None = None
        Joinable.__init__(self)
        Optimizer.__init__(self, params, defaults)
        self.optim = optimizer_class(self._own_groups(), **defaults)
        for mine, theirs in zip(self.param_groups, self.optim.param_groups, strict=True):
            for key, value in theirs.items():
                mine.setdefault(key, value)

    def _owners(self) -> list[list[Any]]:
        """The parameters of each process: the largest first, each to whoever has least."""
        size = self.process_group.size()
        owned: list[list[Any]] = [[] for _ in range(size)]
        load = [0] * size
        every = [p for group in self.param_groups for p in group["params"]]
        for p in sorted(every, key=lambda p: -p.numel()):
            rank = load.index(min(load))
            owned[rank].append(p)
            load[rank] += p.numel()
        return owned

    def _own_groups(self) -> list[dict[str, Any]]:
        own = {id(p) for p in self._owners()[self.process_group.rank()]}
        return [
            {**group, "params": [p for p in group["params"] if id(p) in own]}
            for group in self.param_groups
        ]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """More parameters; the shares are cut again, and the state of those that move is lost."""
        super().add_param_group(param_group)
        if hasattr(self, "optim"):
            self.optim = self._class(self._own_groups(), **self._defaults)

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a process does when its inputs have ended."""
        return _StepsOfOthers(self)

    @property
    def join_device(self) -> Any:
        """Where it computes."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """With whom."""
        return self.process_group

    def step(self, closure: Any = None) -> Any:
        """Update the own parameters, then give every process all of them."""
        Join.notify_join_context(self)
        for mine, theirs in zip(self.param_groups, self.optim.param_groups, strict=True):
            theirs.update({k: v for k, v in mine.items() if k != "params"})
        loss = self.optim.step(closure) if closure is not None else self.optim.step()
        if self.process_group.size() > 1:
            for rank, members in enumerate(self._owners()):
                if members:
                    broadcast_all(members, self.process_group, rank)
        return loss

    # ---- state ----

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring all state to one process, which can then ask for `state_dict`."""
        group = self.process_group
        room = [None] * group.size() if group.ranks[group.rank()] == to else None
        gather_object(self.optim.state_dict(), room, dst=to, group=group)
        self._all_states = room

    def state_dict(self) -> dict[str, Any]:
        """The state of all parameters, as the plain optimizer has it."""
        if self._all_states is None:
            raise refusal.runtime(
                "Optimizer state has not been consolidated on this rank. Please call "
                "`consolidate_state_dict(to=...)` on all ranks beforehand if you meant to save the "
                "global state."
            )
        whole = super().state_dict()
        numbers = {id(p): n for n, p in enumerate(
            p for group in self.param_groups for p in group["params"])}  # fmt: skip
        whole["state"] = {}
        for members, state in zip(self._owners(), self._all_states, strict=True):
            own = {id(p) for p in members}
            order = [numbers[id(p)] for g in self.param_groups for p in g["params"] if id(p) in own]
            for local, values in state["state"].items():
                whole["state"][order[local]] = values
        return whole

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take the own part of a whole state."""
        every = [p for group in self.param_groups for p in group["params"]]
        own = {id(p) for p in self._owners()[self.process_group.rank()]}
        order = [n for n, p in enumerate(every) if id(p) in own]
        local = self.optim.state_dict()
        local["state"] = {
            k: copy.deepcopy(state_dict["state"][n])
            for k, n in enumerate(order)
            if n in state_dict["state"]
        }
        self.optim.load_state_dict(local)
        for mine, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            mine.update({k: v for k, v in saved.items() if k != "params"})


__all__ = ["ZeroRedundancyOptimizer"]
