"""How `LinearCrossEntropyLoss` may cut its work, in PyTorch's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["LinearCrossEntropyOptions"]


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """What PyTorch's chunked form is told; accepted, and without influence on the result."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None
