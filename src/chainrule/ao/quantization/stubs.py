"""Marks in a model: here values become quantized, here they become floating point again."""

from __future__ import annotations

from typing import Any

from chainrule import nn


class QuantStub(nn.Module):
    """Where values become quantized; in floating point it lets them pass."""

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """The input itself."""
        return x


class DeQuantStub(QuantStub):
    """Where values become floating point; they are already."""


class QuantWrapper(nn.Module):
    """A module between both marks."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant = QuantStub(qconfig)
        self.dequant = DeQuantStub(qconfig)
        self.module = module
        self.train(module.training)

    def forward(self, X: Any) -> Any:
        """What the module computes."""
        return self.dequant(self.module(self.quant(X)))


__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]
