"""PyTorch's functions that write ONNX; libraries name them in their declarations."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"torch.onnx: {name}: chainrule's own converters write ONNX; use g.op(...)"
        )

    return refused
