"""The states of schedulers as files give them: looked at whole before anything is taken over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import chainrule as cr

from ..autograd import refusal
from ..autograd.source import is_own_name

_LARGEST = 1 << 63
# One number for each group of the optimizer.
_EACH_GROUP = ("base_lrs", "_last_lr", "max_lrs", "min_lrs", "base_momentums", "max_momentums")


def checked_state(owner: Any, state: Any, *needed: str) -> dict[str, Any]:
    """The state, if it can be that of `owner`: nothing in it hides a method or is of another kind.

    What attributes of a user's own class hold is the user's business.
    """
    name = type(owner).__name__
    if not isinstance(state, Mapping) or not all(isinstance(key, str) for key in state):
        raise refusal.wrong_type(
            f"the state of a {name} is a dict by names, but this is a {type(state).__name__}",
            "load_state_dict",
            fix="give what state_dict() of such an object returned.",
        )
    for key in needed:
        if key not in state:
            raise _unfit(name, f"has no {key!r}")
    ours = is_own_name(type(owner).__module__)
    given: dict[str, Any] = dict(state)
    for key, value in given.items():
        if callable(getattr(type(owner), key, None)) and not callable(value):
            raise _unfit(name, f"has {key!r}, which is one of its methods")
        if key == "optimizer":
            raise _unfit(name, "has an optimizer of its own")
        present: Any = vars(owner).get(key)
        if ours and present is not None and not _same_kind(present, value):
            raise _unfit(name, f"has a {type(value).__name__} that makes no sense as {key!r}")
        if ours and key in _EACH_GROUP:
            count, groups = len(state[key]), len(owner.optimizer.param_groups)
            if count != groups:
                raise _unfit(name, f"has {count} of {key!r} for {groups} groups of parameters")
    return given


def take_over(function: Any, saved: Any) -> None:
    """Give a callable object of the user what it remembered; none of it hides what it can do."""
    name = type(function).__name__
    if not isinstance(saved, Mapping) or not hasattr(function, "__dict__"):
        raise _unfit(name, f"is a {type(saved).__name__}")
    for key in saved:
        if not isinstance(key, str) or callable(getattr(type(function), key, None)):
            raise _unfit(name, "has something under the name of one of its methods")
    vars(function).update(saved)


def _unfit(name: str, what: str) -> ValueError:
    return refusal.value(
        f"the state given to a {name} {what}",
        "load_state_dict",
        fix="give what state_dict() of the same kind of scheduler returned; nothing has changed.",
    )


def _same_kind(present: Any, value: Any) -> bool:
    """Whether a value can stand where `present` stands."""
    if isinstance(present, int | float | cr.Tensor):
        if isinstance(value, cr.Tensor):
            return value.numel() == 1 and not value.is_complex()
        if isinstance(value, float):
            return not isinstance(present, int) or math.isfinite(value)
        return isinstance(value, int) and -_LARGEST <= value < _LARGEST
    if isinstance(present, list | tuple):
        kinds = present[:1]
        right = isinstance(value, list | tuple)
        return right and all(_same_kind(kind, item) for kind in kinds for item in value)
    if isinstance(present, Mapping):
        return isinstance(value, Mapping)
    return not isinstance(present, str) or isinstance(value, str)


@contextmanager
def whole(*owners: Any) -> Iterator[None]:
    """What the objects hold is put back if the block raises."""
    before = [(owner, dict(vars(owner))) for owner in owners if hasattr(owner, "__dict__")]
    try:
        yield
    except BaseException:
        for owner, attributes in before:
            vars(owner).clear()
            vars(owner).update(attributes)
        raise
