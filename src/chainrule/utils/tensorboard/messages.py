"""The protocol buffer messages of event files, encoded by hand.

A message is its fields in order of their numbers; a field is (number, kind, value). Numbers that
are zero and empty texts are left out, as the format wants it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

# ---- encoding ------------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    """An integer in groups of seven bits; negative ones as 64-bit two's complement."""
    value &= 0xFFFFFFFFFFFFFFFF
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def integer(number: int, value: int) -> bytes:
    """An integer field."""
    return varint(number << 3) + varint(int(value)) if value else b""


def double(number: int, value: float) -> bytes:
    """A float64 field."""
    return varint(number << 3 | 1) + struct.pack("<d", value) if value else b""


def number_of_choice(number: int, value: float) -> bytes:
    """A float64 field of which being there says something: zero is written."""
    return varint(number << 3 | 1) + struct.pack("<d", value)


def single(number: int, value: float) -> bytes:
    """A float32 field that is always there."""
    return varint(number << 3 | 5) + struct.pack("<f", value)


def block(number: int, value: bytes) -> bytes:
    """A field of bytes or of a message, there even when empty."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def text(number: int, value: str | bytes) -> bytes:
    """A field of text."""
    data = value.encode() if isinstance(value, str) else value
    return block(number, data) if data else b""


def doubles(number: int, values: Iterable[float]) -> bytes:
    """Float64 numbers in one block."""
    data = np.asarray(list(values), "<f8").tobytes()
    return block(number, data) if data else b""


# ---- messages ------------------------------------------------------------------------------------


def event(wall_time: float, step: int | None, summary: bytes) -> bytes:
    """An event with a summary."""
    return double(1, wall_time) + integer(2, step or 0) + block(5, summary)


def first_event(wall_time: float) -> bytes:
    """What every event file begins with."""
    writer = text(1, "tensorboard.summary.writer.event_file_writer")
    return double(1, wall_time) + text(3, "brain.Event:2") + block(10, writer)


def summary(tag: str, content: bytes, metadata: bytes = b"") -> bytes:
    """A summary of one value."""
    value = text(1, tag) + content + (block(9, metadata) if metadata else b"")
    return block(1, value)


def plugin(name: str, content: bytes = b"") -> bytes:
    """The metadata that says which part of TensorBoard shows a value."""
    return block(1, text(1, name) + text(2, content))


def simple_value(value: float) -> bytes:
    return single(2, value)


def histogram(
    low: float, high: float, count: float, total: float, squares: float, limits: Any, counts: Any
) -> bytes:
    numbers = (low, high, count, total, squares)
    content = b"".join(double(n, float(value)) for n, value in enumerate(numbers, 1))
    return block(5, content + doubles(6, limits) + doubles(7, counts))


def image(height: int, width: int, channels: int, encoded: bytes) -> bytes:
    sizes = integer(1, height) + integer(2, width) + integer(3, channels)
    return block(4, sizes + text(4, encoded))


def audio(sample_rate: float, frames: int, encoded: bytes) -> bytes:
    head = single(1, sample_rate) + integer(2, 1) + integer(3, frames)
    return block(6, head + text(4, encoded) + text(5, "audio/wav"))


def string_tensor(value: str | bytes, of_one: bool = True) -> bytes:
    """A tensor of one text, of one dimension or (not `of_one`) of none."""
    shape = block(2, integer(1, 1)) if of_one else b""
    data = value.encode() if isinstance(value, str) else value
    return block(8, integer(1, 7) + block(2, shape) + block(8, data))


# Type numbers of tensors, the field that holds their values, and how they are stored there.
_TENSORS = {"f4": (1, 5, "<f4"), "f8": (2, 6, "<f8")}


def tensor(array: np.ndarray, with_shape: bool) -> bytes:
    """A tensor of floats (others are written as float32)."""
    kind, field, stored = _TENSORS.get(array.dtype.str[1:], _TENSORS["f4"])
    sizes = b"".join(block(2, integer(1, n)) for n in array.shape)
    shape = block(2, sizes) if with_shape else b""
    return block(8, integer(1, kind) + shape + block(field, array.astype(stored).tobytes()))


# ---- graphs ---------------------------------------------------------------------------------

_PRODUCER = 22  # the version of the format that readers expect


def graph_node(
    name: str, kind: str, inputs: Iterable[str], shape: tuple[int, ...] | None, settings: str
) -> bytes:
    """A node of a graph, with the shape of its output and its settings as text."""
    content = text(1, name) + text(2, kind) + b"".join(text(3, i) for i in inputs)
    if shape is not None:
        sizes = b"".join(block(2, integer(1, n)) for n in shape)
        content += _attribute("_output_shapes", block(1, block(7, sizes)))
    if settings:
        content += _attribute("settings", text(2, settings))
    return content


def _attribute(name: str, value: bytes) -> bytes:
    return block(5, text(1, name) + block(2, value))


def graph(nodes: Iterable[bytes]) -> bytes:
    """A graph of encoded nodes."""
    return b"".join(block(1, node) for node in nodes) + block(4, integer(1, _PRODUCER))


def graph_event(wall_time: float, encoded: bytes) -> bytes:
    """An event with a graph."""
    return double(1, wall_time) + block(4, encoded)


# ---- hyperparameters -----------------------------------------------------------------------------

_STRING, _BOOL, _FLOAT = 1, 2, 3


def _value(value: Any) -> bytes:
    """A `google.protobuf.Value`."""
    if isinstance(value, str):
        return block(3, value.encode())
    return number_of_choice(2, float(value))


def _hparam_info(name: str, value: Any, choices: list[Any] | None) -> bytes:
    kind = _STRING if isinstance(value, str) else _FLOAT
    domain = b""
    if choices is not None:
        domain = block(5, b"".join(block(1, _value(choice)) for choice in choices))
    return text(1, name) + integer(4, kind) + domain


def hparams_summaries(
    parameters: dict[str, Any], metrics: Iterable[str], domains: dict[str, list[Any]]
) -> list[bytes]:
    """The three summaries of a trial: what there is, how it starts, that it ended well."""
    infos = [block(4, _hparam_info(k, v, domains.get(k))) for k, v in parameters.items()]
    infos += [block(5, block(1, text(2, tag))) for tag in metrics]
    pairs = [block(1, text(1, k) + block(2, _value(v))) for k, v in parameters.items()]
    contents = (
        ("_hparams_/experiment", block(2, b"".join(infos))),
        ("_hparams_/session_start_info", block(3, b"".join(pairs))),
        ("_hparams_/session_end_info", block(4, integer(1, 1))),
    )
    return [summary(tag, b"", plugin("hparams", content)) for tag, content in contents]
