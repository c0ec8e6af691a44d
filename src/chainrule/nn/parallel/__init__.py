"""Modules run on several devices or processes.

There is one device, the CPU: `DataParallel` calls its module. `DistributedDataParallel` trains with
several processes.
"""

from __future__ import annotations

import importlib
from typing import Any

from ...autograd.packages import keep_functions as _keep_functions
from .data_parallel import DataParallel, data_parallel

# Work on several GPUs: names alone, see `chainrule.standins`.
from .parallel_apply import parallel_apply  # pyright: ignore[reportMissingImports]
from .replicate import replicate  # pyright: ignore[reportMissingImports]
from .scatter_gather import gather, scatter  # pyright: ignore[reportMissingImports]

_SUBMODULES = {"comm", "data_parallel", "distributed", "scatter_gather"}


def __getattr__(name: str) -> Any:
    if name == "DistributedDataParallel":
        return importlib.import_module(".distributed", __name__).DistributedDataParallel
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply",
    "replicate", "scatter",
]  # fmt: skip

_keep_functions(__name__)
