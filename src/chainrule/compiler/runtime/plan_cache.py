"""Finished plans on disk: what running needs, by the program that was traced.

A program with the same instructions, types and constants becomes the same plan, so neither passes
nor fusion nor code generation run again.  Only plain data is stored (`marshal` of numbers, strings,
bytes and tuples).  A program that holds anything else is compiled from its text every time.
"""

from __future__ import annotations

import marshal
import sys
from typing import Any

import numpy as np

from ...ops import dtypes
from ...ops.rng import Generator
from ..graph.op_table import Place
from ..graph.program import Graph, Instr, Value, dtype_name, dtype_of
from ..graph.views import Buffer, View
from ..machine import code_cache, host
from .bind import layout_known

_FORMAT = "plans 2"
_VERSION = 2  # of marshal: without references, so that equal data are equal bytes
_MOST_BYTES = 16 << 20
_KINDS = ("input", "number", "const", "check", "output", "extern")


class NotPlain(Exception):
    """Something in the program is more than data."""


class ExternSpec:
    """An extern step of a plan: the op, where its operands lie and where its results go."""

    __slots__ = ("instr", "operands", "results")

    def __init__(self, instr: Instr, operands: list[Any], results: list[View]) -> None:
        self.instr = instr
        self.operands = operands
        self.results = results


class Image:
    """All that running a plan needs besides the code: buffers, results, the order of steps."""

    def __init__(
        self,
        schedule: Any,
        arena: int,
        pieces: list[Any],
        last_reads: list[tuple[int, ...]],
        code: bytes,
    ) -> None:
        self.buffers: dict[str, list[Buffer]] = {k: schedule.buffers[k] for k in _KINDS}
        self.input_buffers: list[Buffer] = schedule.input_buffers
        self.constants: list[np.ndarray] = schedule.constants
        self.check_sizes: list[int] = schedule.check_sizes
        self.outputs: list[Any] = schedule.outputs
        self.arena = arena
        self.pieces = pieces  # names of segments, and extern calls
        self.last_reads = last_reads  # extern results that can go after each piece
        self.code = code


def key_of(graph: Graph, target: Any) -> tuple[str, list[Any]] | None:
    """The name of the graph's plan, and what in the graph is no data; None: not to be kept."""
    stamp = host.package_stamp()
    if stamp is None:
        return None
    objects: list[Any] = []
    try:
        program = marshal.dumps(_graph_data(graph, objects), _VERSION)
    except NotPlain:
        return None
    made_for = (
        _FORMAT, stamp, tuple(target), host.processor(), host.llvm_found(), layout_known(),
        sys.implementation.cache_tag, np.__version__,
    )  # fmt: skip
    return f"{code_cache.sha256(program).hexdigest()} {made_for!r}", objects


def load(key: str, objects: list[Any]) -> Image | None:
    """The plan that was written under this key."""
    data = code_cache.read(key)
    return None if data is None else _image_of(marshal.loads(data), objects)


def save(key: str, image: Image, objects: list[Any]) -> bool:
    """Keep a plan for other processes; False if it cannot be."""
    try:
        data = marshal.dumps(_image_data(image, objects), _VERSION)
    except NotPlain:
        return False
    if len(data) > _MOST_BYTES:
        return False
    code_cache.write(key, data)
    return True


# ---- data ----------------------------------------------------------------------------------------


def _plain(value: Any, objects: list[Any]) -> Any:
    """A parameter as data; generators are told by the order in which they appear."""
    kind = value.__class__
    if kind in _AS_THEY_ARE:
        return value
    if kind in _SEQUENCES:
        return (_SEQUENCES[kind], *(_plain(x, objects) for x in value))
    if kind is Place:
        return ("place", value.number)
    if kind is dict:
        return ("dict", *((k, _plain(value[k], objects)) for k in sorted(value)))
    if kind is slice:
        return ("slice", *(_plain(x, objects) for x in (value.start, value.stop, value.step)))
    if value is Ellipsis:
        return ("...",)
    if isinstance(value, np.dtype):
        return ("numpy", dtype_name(value))
    if kind is dtypes.dtype:
        return ("dtype", value.name)
    if isinstance(value, Generator):
        known = next((k for k, x in enumerate(objects) if x is value), None)
        if known is None:
            known = len(objects)
            objects.append(value)
        return ("object", known)
    raise NotPlain(kind.__name__)


_AS_THEY_ARE = {bool, int, float, complex, str, bytes, type(None)}
_SEQUENCES = {tuple: "tuple", list: "list"}


def _value_of(data: Any, objects: list[Any]) -> Any:
    """What `_plain` made data of."""
    if data.__class__ is not tuple:
        return data
    kind, *rest = data
    if kind in ("tuple", "list"):
        items = [_value_of(x, objects) for x in rest]
        return tuple(items) if kind == "tuple" else items
    if kind == "dict":
        return {k: _value_of(x, objects) for k, x in rest}
    if kind == "slice":
        return slice(*(_value_of(x, objects) for x in rest))
    if kind == "...":
        return Ellipsis
    (only,) = rest
    return {
        "place": Place, "numpy": dtype_of, "dtype": dtypes._by_name, "object": objects.__getitem__
    }[kind](only)  # fmt: skip


def _array_data(array: np.ndarray) -> Any:
    if array.dtype.hasobject:
        raise NotPlain("object")
    return dtype_name(array.dtype), array.shape, array.tobytes()


def _array_of(data: Any) -> np.ndarray:
    name, shape, contents = data
    return np.array(np.frombuffer(contents, dtype_of(name)).reshape(shape))  # aligned


def _graph_data(graph: Graph, objects: list[Any]) -> Any:
    numbers: dict[Value, int] = {}

    def defined(v: Value) -> Any:
        numbers[v] = len(numbers)
        return v.shape, dtype_name(v.dtype), v.weak, v.room

    def operand(x: Any) -> Any:
        return (numbers[x],) if isinstance(x, Value) else _plain(x, objects)

    inputs = tuple([defined(v) for v in graph.inputs])
    constants = tuple([(defined(v), _array_data(a)) for v, a in graph.constants.items()])
    instructions = tuple([
        (
            i.op,
            tuple([operand(x) for x in i.inputs]),
            _plain(i.params, objects),
            tuple([defined(v) for v in i.outputs]),
        )
        for i in graph.instrs
    ])  # fmt: skip
    writes = tuple([(operand(v), k) for v, k in graph.writes])
    return inputs, constants, instructions, tuple([operand(x) for x in graph.outputs]), writes


def _image_data(image: Image, objects: list[Any]) -> Any:
    def view(x: Any) -> Any:
        if not isinstance(x, View):
            return _plain(x, objects)
        b = x.buffer
        where = (b.kind, b.size, dtype_name(b.dtype), b.index, b.offset)
        return "view", where, x.shape, x.strides, x.offset

    def piece(x: Any) -> Any:
        if isinstance(x, str):
            return x
        types = tuple((v.shape, dtype_name(v.dtype)) for v in x.instr.outputs)
        operands, results = tuple(map(view, x.operands)), tuple(map(view, x.results))
        return x.instr.op, _plain(x.instr.params, objects), types, operands, results

    return (
        tuple(tuple((b.size, dtype_name(b.dtype)) for b in image.buffers[k]) for k in _KINDS),
        tuple((b.kind, b.index) for b in image.input_buffers),
        tuple(map(_array_data, image.constants)),
        tuple(image.check_sizes),
        tuple(map(view, image.outputs)),
        image.arena,
        tuple(map(piece, image.pieces)),
        tuple(image.last_reads),
        image.code,
    )


def _image_of(data: Any, objects: list[Any]) -> Image:
    made = Image.__new__(Image)
    buffers, inputs, constants, checks, outputs, made.arena, pieces, reads, made.code = data
    made.buffers = {
        kind: [Buffer(kind, size, dtype_of(name), i) for i, (size, name) in enumerate(rows)]
        for kind, rows in zip(_KINDS, buffers, strict=True)
    }

    def view(x: Any) -> Any:
        if x.__class__ is not tuple or x[0] != "view":
            return _value_of(x, objects)
        (kind, size, name, index, at), shape, strides, offset = x[1:]
        if kind == "temp":
            buffer = Buffer(kind, size, dtype_of(name), index)
            buffer.offset = at
        else:
            buffer = made.buffers[kind][index]
        return View(buffer, shape, strides, offset)

    def piece(x: Any) -> Any:
        if x.__class__ is str:
            return x
        op, params, types, operands, results = x
        outputs = [Value(shape, dtype_of(name)) for shape, name in types]
        instr = Instr(op, (), _value_of(params, objects), outputs)
        return ExternSpec(instr, list(map(view, operands)), list(map(view, results)))

    made.input_buffers = [made.buffers[kind][index] for kind, index in inputs]
    made.constants = [_array_of(x) for x in constants]
    made.check_sizes = list(checks)
    made.outputs = list(map(view, outputs))
    made.pieces = list(map(piece, pieces))
    made.last_reads = list(reads)
    return made
