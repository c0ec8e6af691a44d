"""The graph while it is made: nodes, constants, and which tensor is which value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import chainrule as torch

from .dims import Dim
from .messages import TYPES, Node


class OnnxExporterError(RuntimeError):
    """A model cannot be exported."""


class Graph:
    """Nodes in the order they ran. Values are known by name; tensors by identity."""

    def __init__(self, opset: int, weights: dict[int, tuple[str, Any]], dynamic: bool) -> None:
        self.opset, self.dynamic = opset, dynamic
        self.nodes: list[Node] = []
        self.constants: dict[str, np.ndarray] = {}
        self.baked: dict[str, str] = {}  # constants that are neither weights nor numbers: lines
        self._weights = weights  # id of a parameter or buffer -> its name, itself
        self._values: dict[int, tuple[str, Any]] = {}  # id of a tensor -> its value, itself
        self._stale: dict[int, str] = {}  # id of a tensor whose memory was written by another: line
        self._known: dict[Any, str] = {}
        self._names: set[str] = {name for name, _ in weights.values()}
        self.line = ""
        self.result: Any = None  # of the call that is being converted

    # ---- nodes ----

    def add(self, op: str, *inputs: str, count: int = 1, **attributes: Any) -> Any:
        """A node; the name of its value, or a tuple of several."""
        outputs = [self.fresh(op.lower()) for _ in range(count)]
        self.nodes.append(Node(op, list(inputs), outputs, attributes, self.line))
        return outputs[0] if count == 1 else tuple(outputs)

    def fresh(self, hint: str) -> str:
        """A name nothing else has."""
        k = len(self._names)
        while f"{hint}_{k}" in self._names:
            k += 1
        self._names.add(f"{hint}_{k}")
        return f"{hint}_{k}"

    # ---- values ----

    def name_input(self, tensor: Any, name: str) -> None:
        self._names.add(name)
        self.bind(tensor, name)

    def bind(self, tensor: Any, name: str) -> None:
        """From now on this tensor is that value."""
        self._values[id(tensor)] = (name, tensor)
        self._stale.pop(id(tensor), None)

    def overwrite(self, tensor: Any) -> None:
        """The tensor's memory is written: others that share it are no longer their values."""
        array = tensor.detach().numpy(force=True)
        for key, (_, other) in self._values.items():
            if other is not tensor and _share(array, other.detach().numpy(force=True)):
                self._stale[key] = self.line

    def is_live(self, item: Any) -> bool:
        """Whether it depends on the inputs (or on their sizes, where these vary)."""
        if isinstance(item, torch.Tensor):
            return id(item) in self._values
        if isinstance(item, Dim):
            return self.dynamic
        if isinstance(item, list | tuple):
            return any(self.is_live(part) for part in item)
        if isinstance(item, slice):
            return any(self.is_live(part) for part in (item.start, item.stop, item.step))
        return isinstance(item, dict) and any(self.is_live(part) for part in item.values())

    def of(self, item: Any, dtype: Any = None) -> str:
        """The value of a tensor or number, converted to a type if one is given."""
        if isinstance(item, Dim) and self.dynamic:
            name = self.add("Squeeze", self.sizes([item]), self.ints([0]))
            return name if dtype in (None, torch.int64) else self.cast(name, dtype)
        if not isinstance(item, torch.Tensor):
            kind = dtype or torch.tensor(item).dtype
            return self.constant(torch.tensor(item, dtype=kind).numpy(force=True))
        if dtype is not None and item.dtype != dtype:
            if not self.is_live(item):
                return self.constant(item.detach().to(dtype).numpy(force=True))
            return self.cast(self.of(item), dtype)
        if id(item) in self._stale:
            raise OnnxExporterError(
                "torch.onnx.export: a tensor is used after memory that it shares was written "
                f"through another, which a graph of values cannot say\n  at {self.line}\n"
                f"  written at {self._stale[id(item)]}\n"
                "  Fix: compute a new tensor there, e.g. x = x + 1 instead of x += 1."
            )
        if id(item) in self._values:
            return self._values[id(item)][0]
        return self._constant_tensor(item)

    def _constant_tensor(self, tensor: Any) -> str:
        name, _ = self._weights.get(id(tensor), ("", None))
        array = tensor.detach().numpy(force=True)
        if name:
            self.constants.setdefault(name, array)
        else:
            name = self.constant(array)
            self.baked.setdefault(name, self.line)
        return name

    def constant(self, array: Any) -> str:
        """A constant; equal ones share a name."""
        array = np.asarray(array)
        key = (array.dtype.name, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = self.fresh("constant")
            self.constants[self._known[key]] = array
        return self._known[key]

    def ints(self, numbers: Sequence[int]) -> str:
        """Whole numbers as a constant vector."""
        return self.constant(np.array([int(n) for n in numbers], np.int64))

    def cast(self, name: str, dtype: Any) -> str:
        return self.add("Cast", name, to=TYPES[dtype.name])

    # ---- sizes ----

    def sizes(self, numbers: Sequence[Any]) -> str:
        """Whole numbers as a vector, those that vary computed from the sizes they came from."""
        if not self.dynamic or not any(isinstance(n, Dim) for n in numbers):
            return self.ints(numbers)
        parts, fixed = [], []
        for n in numbers:
            if isinstance(n, Dim):
                parts += [self.ints(fixed)] if fixed else []
                fixed = []
                parts.append(self._dim(n))
            else:
                fixed.append(n)
        parts += [self.ints(fixed)] if fixed else []
        return parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=0)

    def _dim(self, n: Any) -> str:
        """A vector of one element."""
        if not isinstance(n, Dim):
            return self.ints([n])
        kind, *operands = n.made_of
        if kind == "axis":
            return self.axis_length(self.of(operands[0]), operands[1])
        return self.add(kind, *[self._dim(part) for part in operands])

    def axis_length(self, name: str, axis: int) -> str:
        """The length of an axis of a value, as a vector of one element."""
        if self.opset >= 15:
            return self.add("Shape", name, start=axis, end=axis + 1)
        return self.add("Gather", self.add("Shape", name), self.ints([axis]), axis=0)


def _share(one: np.ndarray, other: np.ndarray) -> bool:
    try:
        return np.shares_memory(one, other, max_work=10_000)  # pyright: ignore[reportArgumentType]
    except np.exceptions.TooHardError:
        return True
