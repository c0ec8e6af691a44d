"""Helpers for modes: `torch.utils._mode_utils`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def no_dispatch() -> Iterator[None]:
    """A block in which neither modes nor classes are asked about ops.

    >>> with no_dispatch():
    ...     pass
    """
    from ..dispatcher.asking import disabled

    with disabled():
        yield


def all_same_mode(modes: Any) -> bool:
    """Whether several modes are one.

    >>> all_same_mode([1, 1])
    True
    """
    return all(mode is modes[0] for mode in modes)
