"""Watch a function or model think: every step forward and backward, in the browser or a notebook.

The package itself can be called: `studio(model, data)`.

>>> import chainrule as torch
>>> x = torch.tensor(2.0, requires_grad=True)
>>> y = (3 * x).sin()
>>> [n["label"] for n in torch.studio.read(y).document["nodes"]]
['x', '3 * x', 'y']
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, cast

from .tracing import Trace, read, show, trace, trace_model


class CallablePackage(ModuleType):
    """This package: `studio(model, data)` and `studio.trace(f, at)`."""

    # For type checkers, which do not see what a module's class does with its globals.
    read, trace, trace_model = staticmethod(read), staticmethod(trace), staticmethod(trace_model)
    show = staticmethod(show)
    Trace = Trace

    def __call__(self, model: Any, *data: Any, loss: Callable[[Any], Any] | None = None) -> Trace:
        """One pass of a model over data, to look at; see `trace_model`.

        Where somebody sits at a terminal it opens in the browser; a notebook shows what is
        returned.
        """
        from .showing import show_trace, somebody_looks

        made = trace_model(model, *data, loss=loss)
        if somebody_looks():
            show_trace(made)
        return made


sys.modules[__name__].__class__ = CallablePackage
studio = cast(CallablePackage, sys.modules[__name__])  # itself: for whoever imports it

__all__ = ["Trace", "read", "show", "studio", "trace", "trace_model"]
