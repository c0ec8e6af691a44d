"""Warnings that are given once in a process, unless all are asked for."""

from __future__ import annotations

from . import source
from .source import warn_user

GIVEN: set[str] = set()


class WARNINGS:
    """`set_warn_always` switches it."""

    always = False


def warn_once(text: str) -> None:
    """Warn, if this warning was not given before."""
    if WARNINGS.always or text not in GIVEN:
        GIVEN.add(text)
        warn_user(text)


def warn_once_of(what: str, text: str) -> None:
    """Warn at the user's line, if nothing was said about this before."""
    if WARNINGS.always or what not in GIVEN:
        GIVEN.add(what)
        source.warn_user(text)
