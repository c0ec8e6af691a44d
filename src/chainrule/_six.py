"""Names that old programs import from `torch._six`."""

from __future__ import annotations

import builtins
import collections.abc as container_abcs

from . import inf, nan

int_classes = int
string_classes = (str, bytes)
FileNotFoundError = builtins.FileNotFoundError  # noqa: A001
PY2, PY3 = False, True

__all__ = [
    "PY2", "PY3", "FileNotFoundError", "container_abcs", "inf", "int_classes", "nan",
    "string_classes",
]  # fmt: skip
