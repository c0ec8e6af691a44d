"""Warnings that are given once in a process, unless all are asked for."""

from __future__ import annotations

import warnings

GIVEN: set[str] = set()


class WARNINGS:
    """`set_warn_always` switches it."""

    always = False


def warn_once(text: str) -> None:
    """Warn, if this warning was not given before."""
    if WARNINGS.always or text not in GIVEN:
        GIVEN.add(text)
        warnings.warn(text, stacklevel=4)
