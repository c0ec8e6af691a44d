"""What layers share: how an error names the layer, and how parameters are made."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn

from ... import empty
from ...autograd import source
from ...tensor import Parameter

PROBLEMS = (RuntimeError, ValueError, IndexError)


def new_parameter(*shape: int, device: Any = None, dtype: Any = None) -> Parameter:
    """A parameter whose values are still to be set."""
    return Parameter(empty(shape, device=device, dtype=dtype))


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the user's line, however many of our frames lie between."""
    frame = source.user_frame(2)
    if frame is None:
        warnings.warn(message, category, stacklevel=3)
        return
    seen = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        message, category, frame.f_code.co_filename, frame.f_lineno, registry=seen
    )


def add_layer(problem: Exception, layer: Any) -> NoReturn:
    """Raise a problem found by a layer's function again, with the layer it happened in.

    Several layers of one kind run on one line of a `forward`: the line alone does not tell which.
    """
    said = str(problem.args[0]) if problem.args else ""
    layer_line = f"\n  in {layer!r}"
    if layer_line not in said:
        problem.args = (said + layer_line, *problem.args[1:])
    raise problem
