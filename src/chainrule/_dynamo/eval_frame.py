"""Where PyTorch keeps the wrapper of compiled modules."""

from __future__ import annotations

from . import OptimizedModule, disable, explain, is_dynamo_supported, optimize, set_stance

__all__ = [
    "OptimizedModule", "disable", "explain", "is_dynamo_supported", "optimize", "set_stance",
]  # fmt: skip
