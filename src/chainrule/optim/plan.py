"""The fast step: one call of machine code for all parameters of a group."""

from __future__ import annotations

from typing import Any


def run(optimizer: Any) -> bool:
    """Do the step as prepared; False, and nothing is changed, if something is not as it was."""
    return False


def prepare(optimizer: Any) -> None:
    """Prepare the next step."""
