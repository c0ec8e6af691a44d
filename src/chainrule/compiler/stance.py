"""What compiled functions are to do: run, run eagerly, or refuse to capture anything new."""

from __future__ import annotations

import functools
from typing import Any

from ..ops.weak import WeakTable

# How many reasons there are to run everything eagerly; asked in every compiled call.
EAGER = [0]
_STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile")
compiled_functions = WeakTable()


class set_stance:
    """What compiled functions do from now on, in a `with` block, or in a decorated function.

    "force_eager" runs the functions themselves, "eager_on_recompile" captures nothing new,
    "fail_on_recompile" raises where something new would be captured.

    >>> import chainrule as torch
    >>> f = torch.compile(lambda x: x + 1)
    >>> with torch.compiler.set_stance("force_eager"):
    ...     f(torch.ones(1)).item()
    2.0
    """

    now = "default"

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False,
        force_backend: Any = None,
    ) -> None:  # fmt: skip
        if stance not in _STANCES:
            raise RuntimeError(f"invalid torch.compile stance {stance!r}; one of {_STANCES}")
        self.stance, self._before = stance, set_stance.now
        _change_stance(stance)

    def __enter__(self) -> None:
        _change_stance(self.stance)

    def __exit__(self, *problem: Any) -> None:
        _change_stance(self._before)

    def __call__(self, function: Any) -> Any:
        _change_stance(self._before)

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return function(*args, **kwargs)

        return inside


def _change_stance(to: str) -> None:
    EAGER[0] += (to == "force_eager") - (set_stance.now == "force_eager")
    set_stance.now = to
