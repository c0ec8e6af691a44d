"""What an exception of backward() is about, told by the phrase that it carries."""

from __future__ import annotations

NO_GRAPH = "does not require grad and does not have a grad_fn"
NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
USED_UP = "Trying to backward through the graph a second time"
MODIFIED = "has been modified by an inplace operation"


def is_about(problem: BaseException | None, phrase: str) -> bool:
    """Whether an exception carries a phrase."""
    return problem is not None and phrase in str(problem)


__all__ = ["MODIFIED", "NOT_SCALAR", "NO_GRAPH", "USED_UP", "is_about"]
