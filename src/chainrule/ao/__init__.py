"""Quantization: what floating point can do of it (observers, fake quantization) is real."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    from ..standins import finder

    if name in ("nn", "quantization"):
        return importlib.import_module(f".{name}", __name__)
    return finder.member("ao", name)
