"""The functions of `torch` under the name of its compiled half."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("chainrule"), name)
