"""Let an optimizer work on other parameters and state for a while."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import chainrule as cr

from ..autograd import refusal
from ..autograd.accidents import explain_module
from .optimizer import Optimizer


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer, swapin_parameters: dict[str, Any], swapin_optim_state: dict[str, Any]
) -> Iterator[None]:
    """Within the block the optimizer has these parameters and this state (a `state_dict`).

    >>> import chainrule as torch
    >>> w, other = torch.ones(1, requires_grad=True), torch.zeros(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.9)
    >>> w.grad = other.grad = torch.ones(1)
    >>> optimizer.step()
    >>> start = {"state": {}, "param_groups": optimizer.state_dict()["param_groups"]}
    >>> with torch.optim.swap_in_optimizer_params_and_state(optimizer, {"w": other}, start):
    ...     optimizer.step()
    >>> w.item(), other.item()
    (0.5, -0.5)
    """
    state, groups = _checked(optimizer, swapin_parameters, swapin_optim_state)
    own_state, own_groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    remaining = iter(swapin_parameters.values())
    try:
        optimizer.state = defaultdict(dict)
        for group, new in zip(optimizer.param_groups, groups, strict=True):
            params = [next(remaining) for _ in new["params"]]
            group.update({**new, "params": params})
            for p, number in zip(params, new["params"], strict=True):
                optimizer.state[p] = dict(state.get(number, {}))
        yield
    finally:
        optimizer.state = own_state
        for group, saved in zip(optimizer.param_groups, own_groups, strict=True):
            group.clear()
            group.update(saved)


def _checked(
    optimizer: Optimizer, parameters: dict[str, Any], saved: dict[str, Any]
) -> tuple[dict[int, Any], list[dict[str, Any]]]:
    """State and groups of the dict, if they fit the optimizer."""
    name = "swap_in_optimizer_params_and_state"
    if not optimizer.state:
        raise refusal.runtime(f"{name} requires initialized optimizer state.", "make a step first.")
    state, groups = saved.get("state"), saved.get("param_groups")
    if not isinstance(state, dict) or any(isinstance(key, cr.Tensor) for key in state):
        raise refusal.runtime(
            f"{name} requires optimizer.state_dict()-style state keyed by packed parameter ids.",
            "pass optimizer.state_dict().",
        )
    if not isinstance(groups, list) or len(groups) != len(optimizer.param_groups):
        raise refusal.runtime(
            "swapin_optim_state has a different number of parameter groups than the live optimizer."
        )
    for i, (own, new) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        if len(own["params"]) != len(new["params"]):
            raise refusal.runtime(
                f"swapin_optim_state param group {i} has a different number of params than the "
                f"live optimizer param group: {len(new['params'])}, not {len(own['params'])}."
            )
        if own.keys() != new.keys():
            raise refusal.runtime(
                f"{name} requires optimizer.state_dict()-style param group keys to exactly match "
                f"the live optimizer group keys for group {i}; they differ in "
                f"{sorted(own.keys() ^ new.keys())}."
            )
    numbers = [number for group in groups for number in group["params"]]
    if len(parameters) < len(numbers):
        raise refusal.runtime(
            f"{name} requires the explicit parameter state to match optimizer.param_groups "
            f"ordering: {len(parameters)} parameters for {len(numbers)} places."
        )
    extra = [key for key in state if key not in numbers]
    if extra:
        raise refusal.runtime(f"{name}: the state has extra keys {extra!r}, which no group lists.")
    return state, groups


explain_module(globals())
