"""Calling a module with other parameters than its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...autograd.accidents import explain_module
from ...autograd.source import warn_user
from ...func.stateless import _with_tied, swapped
from ...func.stateless import functional_call as _call

__all__ = ["functional_call"]


def functional_call(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Deprecated: `torch.func.functional_call`."""
    warn_user(
        "This API is deprecated as of PyTorch 2.0 and will be removed in a future version of "
        "PyTorch. Please use torch.func.functional_call instead which is a drop-in replacement.",
        FutureWarning,
    )
    return _call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights,
                 strict=strict)  # fmt: skip


@contextlib.contextmanager
def _reparametrize_module(
    module: Any,
    parameters_and_buffers: dict[str, Any],
    tie_weights: bool = False,
    strict: bool = False,
    stack_weights: bool = False,
) -> Iterator[None]:
    """Inside the block the module has other parameters: libraries use it around several calls.

    `stack_weights` says in which order PyTorch puts the old ones back; here it is the last first.
    """
    given = parameters_and_buffers
    values = _with_tied(module, given) if tie_weights else given
    with swapped(module, values, strict) as after:
        yield
    for path in given:
        if path in after:
            given[path] = after[path]  # buffers that a call replaced


explain_module(globals())
