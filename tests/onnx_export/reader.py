"""Exported files read and run by hand: what can be tested without the onnx packages.

`read` decodes the protocol buffer; `run` computes the graph with NumPy, for the operators that the
models of the tests need.
"""

import math
import struct

import numpy as np

DTYPES = {1: "float32", 6: "int32", 7: "int64", 9: "bool", 11: "float64"}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return (value - (1 << 64) if value >> 63 else value), at


def fields(data):
    """(number, value) of every field."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 5:
            value, at = struct.unpack("<f", data[at : at + 4])[0], at + 4
        else:
            assert kind == 2
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        found.append((key >> 3, value))
    assert at == len(data)
    return found


def every(message, number):
    return [value for n, value in message if n == number]


def tensor(data):
    message = fields(data)
    dtype = DTYPES[every(message, 2)[0]]
    array = np.frombuffer(every(message, 9)[0], dtype).reshape(every(message, 1))
    return every(message, 8)[0].decode(), array


def attribute(data):
    message = fields(data)
    kind = every(message, 20)[0]
    number = {1: 2, 2: 3, 3: 4, 6: 7, 7: 8}[kind]
    values = every(message, number)
    value = values if kind in (6, 7) else values[0]
    return every(message, 1)[0].decode(), value.decode() if kind == 3 else value


def value_info(data):
    message = fields(data)
    kind = fields(every(fields(every(message, 2)[0]), 1)[0])
    axes = [fields(axis)[0] for axis in every(fields(every(kind, 2)[0]), 1)]
    shape = [v if number == 1 else v.decode() for number, v in axes]
    return every(message, 1)[0].decode(), DTYPES[every(kind, 1)[0]], shape


class Read:
    """A model: nodes are (operator, inputs, outputs, attributes, line)."""

    def __init__(self, data):
        model = fields(data)
        self.opset = every(fields(every(model, 8)[0]), 2)[0]
        graph = fields(every(model, 7)[0])
        self.weights = dict(map(tensor, every(graph, 5)))
        self.inputs = list(map(value_info, every(graph, 11)))
        self.outputs = list(map(value_info, every(graph, 12)))
        self.nodes = [self.node(fields(n)) for n in every(graph, 1)]

    @staticmethod
    def node(message):
        names = [[v.decode() for v in every(message, n)] for n in (1, 2)]
        line = every(message, 6)
        return (every(message, 4)[0].decode(), *names, dict(map(attribute, every(message, 5))),
                line[0].decode() if line else "")  # fmt: skip

    def run(self, *arrays):
        values = {"": None, **self.weights}
        values |= {name: a for (name, _, _), a in zip(self.inputs, arrays, strict=True)}
        for op, inputs, outputs, options, _ in self.nodes:
            found = OPS[op](*[values[n] for n in inputs], **options)
            found = found if isinstance(found, list) else [found]
            values |= dict(zip(outputs, map(np.asarray, found), strict=True))
        return [values[name] for name, _, _ in self.outputs]


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def layer_norm(x, scale, bias=None, axis=-1, epsilon=1e-5):
    centred = x - x.mean(axis, keepdims=True)
    found = centred / np.sqrt((centred**2).mean(axis, keepdims=True) + epsilon) * scale
    return found if bias is None else found + bias


def reshape(x, shape):
    return x.reshape([x.shape[k] if n == 0 else n for k, n in enumerate(shape.tolist())])


def sliced(x, starts, ends, axes, steps=None):
    index = [slice(None)] * x.ndim
    for k, axis in enumerate(axes.tolist()):
        index[axis] = slice(int(starts[k]), int(ends[k]), int(steps[k]) if steps is not None else 1)
    return x[tuple(index)]


NUMPY = {9: "bool", 6: "int32", 7: "int64", 1: "float32"}
OPS = {
    "Identity": lambda x: x, "Relu": lambda x: np.maximum(x, 0), "Tanh": np.tanh,
    "Gemm": lambda a, b, c, transB=0: a @ (b.T if transB else b) + c,
    "MatMul": np.matmul, "Add": np.add, "Sub": np.subtract, "Mul": np.multiply,
    "Div": lambda a, b: a // b if a.dtype.kind == "i" else a / b,
    "Transpose": lambda x, perm: x.transpose(perm), "Reshape": reshape,
    "Split": lambda x, n, axis: np.split(x, np.cumsum(n)[:-1], axis), "Softmax": softmax,
    "LayerNormalization": layer_norm, "Slice": sliced,
    "Shape": lambda x, start=0, end=None: np.array(x.shape[start:end], np.int64),
    "Concat": lambda *x, axis: np.concatenate(x, axis),
    "Gather": lambda x, i, axis=0: np.take(x, i, axis),
    "Unsqueeze": lambda x, axes: np.expand_dims(x, tuple(axes.tolist())),
    "Squeeze": lambda x, axes: np.squeeze(x, tuple(axes.tolist())),
    "Expand": lambda x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "Trilu": lambda x, k=None, upper=0: np.triu(x) if upper else np.tril(x),
    "Cast": lambda x, to: x.astype(NUMPY[to]), "Where": np.where,
    "Range": lambda a, b, s: np.arange(a, b, s), "Equal": np.equal, "Erf": np.vectorize(
        math.erf, otypes=["float32"]), "Greater": np.greater,
}  # fmt: skip
