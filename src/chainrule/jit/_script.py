"""Where PyTorch keeps the part of `torch.jit` that translates."""

from __future__ import annotations

from . import (
    RecursiveScriptModule,
    ScriptFunction,
    ScriptModule,
    ScriptWarning,
    script,
    script_method,
)

__all__ = [
    "RecursiveScriptModule", "ScriptFunction", "ScriptModule", "ScriptWarning", "script",
    "script_method",
]  # fmt: skip
