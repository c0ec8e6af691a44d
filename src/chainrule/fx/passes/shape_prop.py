"""Run a graph on examples and note shapes and types at its nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...tensor import Tensor
from ...tensor.layouts import channels_last, channels_last_3d, contiguous_format
from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its values."""

    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: Any
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result: Any, include_contiguity: bool = True) -> TensorMetadata:
    found = None
    if include_contiguity:
        for form, dims in ((contiguous_format, None), (channels_last, 4), (channels_last_3d, 5)):
            if (dims is None or result.ndim == dims) and result.is_contiguous(memory_format=form):
                found = form
                break
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, tuple(result.stride()), found, False, {}
    )


class ShapeProp(Interpreter):
    """Runs a module node by node and writes `tensor_meta` and `type` into each node's `meta`.

    >>> import chainrule as torch
    >>> from chainrule.fx.passes.shape_prop import ShapeProp
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(3, 2)))
    >>> _ = ShapeProp(gm).propagate(torch.ones(5, 3))
    >>> [tuple(n.meta["tensor_meta"].shape) for n in gm.graph.nodes]
    [(5, 3), (5, 2), (5, 2)]
    """

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        self.fake_mode = fake_mode

    def run_node(self, n: Node) -> Any:
        """The value of a node, with its shape and type noted."""
        result = super().run_node(n)
        seen = False

        def described(value: Any) -> Any:
            nonlocal seen
            if isinstance(value, Tensor):
                seen = True
                return _extract_tensor_metadata(value)
            return value

        found = map_aggregate(result, described)
        if seen:
            n.meta["tensor_meta"] = found
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run with these arguments; returns what the module returns."""
        return super().run(*args)


__all__ = ["ShapeProp", "TensorMetadata"]
