"""What an exception of backward() is about, told by the phrase that it carries."""

from __future__ import annotations

from ..positions import NOWHERE, Position, is_users

NO_GRAPH = "does not require grad and does not have a grad_fn"
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
USED_UP = "Trying to backward through the graph a second time"
NO_GRADIENTS = "No inf checks were recorded for this optimizer"
NO_STEP = "No inf checks were recorded prior to update"
MODIFIED = "has been modified by an inplace operation"


def is_about(problem: BaseException | None, phrase: str) -> bool:
    """Whether an exception carries a phrase."""
    return problem is not None and phrase in str(problem)


def raised_at(problem: BaseException | None) -> Position:
    """The innermost line of the user's program in an exception's traceback."""
    found = NOWHERE
    trace = None if problem is None else problem.__traceback__
    while trace is not None:
        if is_users(trace.tb_frame.f_code.co_filename):
            found = Position(trace.tb_frame.f_code, trace.tb_lasti)
        trace = trace.tb_next
    return found


__all__ = [
    "MODIFIED",
    "NOT_SCALAR",
    "NO_GRADIENTS",
    "NO_GRAPH",
    "NO_STEP",
    "USED_UP",
    "is_about",
    "raised_at",
]
