"""Optimizers that ask for `foreach=True`, as old programs import them."""

from __future__ import annotations

from typing import Any

from . import (
    ASGD,
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    NAdam,
    RAdam,
    RMSprop,
    Rprop,
)


def _with_foreach(kind: Any) -> Any:
    class Together(kind):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **{"foreach": True, **kwargs})

    Together.__name__, Together.__qualname__ = kind.__name__, kind.__qualname__
    Together.__doc__ = kind.__doc__
    return Together


_KINDS = (ASGD, SGD, Adadelta, Adagrad, Adam, AdamW, Adamax, NAdam, RAdam, RMSprop, Rprop)
globals().update({kind.__name__: _with_foreach(kind) for kind in _KINDS})

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "RAdam",
    "RMSprop",
    "Rprop",
]
