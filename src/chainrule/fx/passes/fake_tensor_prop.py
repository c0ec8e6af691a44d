"""Shapes and types of a graph's nodes, worked out on fake tensors: `FakeTensorProp`."""

from __future__ import annotations

from typing import Any

from ..._subclasses.fake_tensor import FakeTensorMode
from ...tensor import Tensor
from ..interpreter import Interpreter
from ..node import Node
from .shape_prop import _extract_tensor_metadata


class FakeTensorProp(Interpreter):
    """Runs a graph without computing; `node.meta["val"]` holds what each node would give."""

    def __init__(self, module: Any, mode: Any = None) -> None:
        super().__init__(module)
        self._mode = FakeTensorMode(allow_non_fake_inputs=True) if mode is None else mode

    def run_node(self, n: Node) -> Any:
        """Run one node and note its result."""
        made = super().run_node(n)
        n.meta["val"] = made
        if isinstance(made, Tensor):
            n.meta["tensor_meta"] = _extract_tensor_metadata(made)
        return made

    def propagate(self, *args: Any) -> Any:
        """Run the graph on fake tensors like the given ones."""
        fake = [self._mode.from_tensor(a) if isinstance(a, Tensor) else a for a in args]
        return self.propagate_dont_convert_inputs(*fake)

    def propagate_dont_convert_inputs(self, *args: Any) -> Any:
        """Run the graph on fake tensors."""
        with self._mode:
            return super().run(*args)
