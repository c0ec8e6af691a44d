"""ONNX files: the protocol buffer messages of a model, encoded by hand.

A model is a graph of nodes with named values between them; weights lie in it as raw bytes. Numbers
of fields are those of `onnx.proto3`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..utils.tensorboard.messages import block, integer, single, text, varint

# Types of elements by the names of ours.
TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
    "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14, "complex128": 15,
    "bfloat16": 16,
}  # fmt: skip
_FLOAT, _INT, _STRING, _TENSOR, _FLOATS, _INTS, _STRINGS = 1, 2, 3, 4, 6, 7, 8


@dataclass
class Node:
    """An operation: values it takes, values it makes, constant attributes."""

    op: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]
    line: str = ""


@dataclass
class Value:
    """A named value with its type; an axis is a length or the name of one that varies."""

    name: str
    dtype: str
    shape: list[int | str]


@dataclass
class Model:
    """All that a file holds."""

    nodes: list[Node]
    inputs: list[Value]
    outputs: list[Value]
    weights: dict[str, np.ndarray]
    opset: int
    name: str = "main_graph"
    notes: dict[str, str] = field(default_factory=dict)


def encoded(model: Model) -> bytes:
    """The bytes of a `.onnx` file."""
    graph = b"".join(block(1, _node(node, k)) for k, node in enumerate(model.nodes))
    graph += text(2, model.name)
    graph += b"".join(block(5, _tensor(array, name)) for name, array in model.weights.items())
    graph += b"".join(block(11, _value(value)) for value in model.inputs)
    graph += b"".join(block(12, _value(value)) for value in model.outputs)
    made = integer(1, _file_version(model.opset)) + text(2, "chainrule") + block(7, graph)
    made += block(8, integer(2, model.opset))
    return made + b"".join(
        block(14, text(1, key) + text(2, value)) for key, value in model.notes.items()
    )


def _file_version(opset: int) -> int:
    return 8 if opset <= 18 else 9 if opset <= 20 else 10


def _node(node: Node, number: int) -> bytes:
    made = b"".join(block(1, name.encode()) for name in node.inputs)  # "" stands for none
    made += b"".join(block(2, name.encode()) for name in node.outputs)
    made += text(3, f"{node.op}_{number}") + text(4, node.op)
    made += b"".join(block(5, _attribute(n, v)) for n, v in node.attributes.items())
    return made + text(6, node.line)


def _attribute(name: str, value: Any) -> bytes:
    made = text(1, name)
    if isinstance(value, float):
        return made + single(2, value) + integer(20, _FLOAT)
    if isinstance(value, int):
        return made + varint(3 << 3) + varint(int(value)) + integer(20, _INT)
    if isinstance(value, str):
        return made + block(4, value.encode()) + integer(20, _STRING)
    if isinstance(value, np.ndarray):
        return made + block(5, _tensor(value, "")) + integer(20, _TENSOR)
    if value and all(isinstance(v, str) for v in value):
        return made + b"".join(block(9, v.encode()) for v in value) + integer(20, _STRINGS)
    if all(isinstance(v, int) for v in value):
        return made + b"".join(varint(8 << 3) + varint(int(v)) for v in value) + integer(20, _INTS)
    return made + b"".join(single(7, float(v)) for v in value) + integer(20, _FLOATS)


def _tensor(array: np.ndarray, name: str) -> bytes:
    made = b"".join(varint(1 << 3) + varint(n) for n in array.shape)
    made += integer(2, TYPES[array.dtype.name]) + text(8, name)
    return made + block(9, np.ascontiguousarray(array).tobytes())


def _value(value: Value) -> bytes:
    axes = b"".join(
        block(1, text(2, n) if isinstance(n, str) else varint(1 << 3) + varint(n))
        for n in value.shape
    )
    kind = integer(1, TYPES[value.dtype]) + block(2, axes)
    return text(1, value.name) + block(2, block(1, kind))


class TensorProtoDataType(enum.IntEnum):
    """ONNX's numbers of the types of elements."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17
    FLOAT8E4M3FNUZ = 18
    FLOAT8E5M2 = 19
    FLOAT8E5M2FNUZ = 20
