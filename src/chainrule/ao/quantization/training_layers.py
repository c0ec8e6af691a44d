"""Layers that train with weights rounded as they will be after conversion."""

from __future__ import annotations

from typing import Any

from chainrule import nn


def _take_config(module: Any, qconfig: Any) -> None:
    if not qconfig:
        raise AssertionError("qconfig must be provided for QAT module")
    module.qconfig = qconfig
    module.weight_fake_quant = qconfig.weight()


def _with_rounding(mod: Any, cls: type) -> Any:
    """The same layer as one of a class here: it keeps its parameters."""
    if getattr(mod, "qconfig", None) is None:
        raise AssertionError("Input float module must have a valid qconfig")
    made = cls.__new__(cls)  # pyright: ignore[reportCallIssue]
    made.__dict__.update(mod.__dict__)
    made._modules = dict(mod._modules)
    made.weight_fake_quant = mod.qconfig.weight()
    return made


class Linear(nn.Linear):
    """A linear layer whose weight is rounded in the forward pass."""

    weight_fake_quant: Any

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, qconfig: Any = None,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(in_features, out_features, bias, device, dtype)
        _take_config(self, qconfig)

    def to_float(self) -> Any:
        """The plain layer, with its parameters."""
        made = nn.Linear(self.in_features, self.out_features, self.bias is not None)
        made.weight, made.bias = self.weight, self.bias
        return made

    def forward(self, input: Any) -> Any:  # noqa: A002
        """The product with the rounded weight."""
        return nn.functional.linear(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer for a plain one, with its parameters."""
        return _with_rounding(mod, cls)


class Conv2d(nn.Conv2d):
    """A convolution whose weight is rounded in the forward pass."""

    weight_fake_quant: Any

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", qconfig: Any = None, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype,  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
        _take_config(self, qconfig)

    def forward(self, input: Any) -> Any:  # noqa: A002
        """The convolution with the rounded weight."""
        return self._conv_forward(input, self.weight_fake_quant(self.weight), self.bias)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer for a plain one, with its parameters."""
        return _with_rounding(mod, cls)


__all__ = ["Conv2d", "Linear"]
