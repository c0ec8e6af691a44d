"""What layers share: how an error names the layer, and how parameters are made."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import numpy as np

from ... import empty
from ...autograd import refusal, source
from ...autograd.accidents import in_words
from ...autograd.source import warn_user as warn_user
from ...autograd.state import STATE
from ...tensor import Parameter, overriding
from .module_members import type_name

PROBLEMS = (RuntimeError, ValueError, IndexError, TypeError, AttributeError)
NO_TENSORS = (list, tuple, dict, str, int, float, np.ndarray, np.generic)


def new_parameter(*shape: int, device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter whose values are still to be set."""
    return Parameter(empty(shape, device=device, dtype=dtype))


def is_seen(function: Any, original: Any, *given: Any) -> bool:
    """Whether a layer may not skip its function: it was replaced, or modes or what it would be
    `given` decide about calls of it."""
    if function is not original or STATE.function_modes:
        return True
    return overriding.ACTIVE and any(overriding.KINDS[value.__class__] for value in given)


def add_layer(problem: Exception, layer: Any) -> NoReturn:
    """Raise a problem found by a layer's function again, with the layer it happened in.

    Several layers of one kind run on one line of a `forward`: the line alone does not tell which.
    """
    forward = sys._getframe(1)
    name = forward.f_code.co_varnames[1]
    given = forward.f_locals.get(name)
    if isinstance(given, NO_TENSORS):
        raise TypeError(
            f"{type(layer).__name__.lower()}(): argument '{name}' (position 1) must be Tensor, not "
            f"{type_name(given)}\n  at {source.here()}\n  Fix: convert it with "
            f"torch.as_tensor(...) first.\n  in {layer!r}"
        ) from None
    if problem.args and problem.args[0] is layer:  # an attribute it lacks: the text names it
        raise problem
    said = str(problem.args[0]) if problem.args else ""
    layer_line = f"\n  in {layer!r}"
    if layer_line not in said:
        problem.args = (said + layer_line, *problem.args[1:])
    raise problem


DEEPEST = 10_000


def check_depth(count: Any, name: str) -> None:
    """Refuse numbers of layers that would be made one after the other for minutes or for ever."""
    if count > DEEPEST:
        raise refusal.value(f"{name}={in_words(count)}: at most {DEEPEST} layers are made")
