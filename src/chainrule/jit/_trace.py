"""Where PyTorch keeps the part of `torch.jit` that records."""

from __future__ import annotations

from . import (
    TopLevelTracedModule,
    TracedModule,
    TracerWarning,
    is_tracing,
    trace,
    trace_module,
)

__all__ = [
    "TopLevelTracedModule", "TracedModule", "TracerWarning", "is_tracing", "trace", "trace_module",
]  # fmt: skip
