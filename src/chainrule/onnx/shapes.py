"""Shapes as tensors: `torch.onnx.operators`."""

from __future__ import annotations

from typing import Any


def shape_as_tensor(x: Any) -> Any:
    """The sizes of a tensor, as a tensor of integers."""
    from .. import tensor

    return tensor(list(x.shape))


def reshape_from_tensor_shape(x: Any, shape: Any) -> Any:
    """The tensor in the shape that a tensor of integers says."""
    return x.reshape(shape.tolist())
