"""Where PyTorch keeps the question whether a program is traced."""

from __future__ import annotations

from . import is_compiling

__all__ = ["is_compiling"]
