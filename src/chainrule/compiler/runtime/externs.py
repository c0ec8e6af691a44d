"""Extern steps of a plan: an op's NumPy forward, called on arrays over the plan's memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..emit.module_text import Slots
from ..graph.op_table import lookup
from ..graph.program import Value
from ..graph.views import View
from ..loops.calls import ExternCall
from ..machine.addresses import address


def acts(record: Any) -> bool:
    """Whether an op does something that cannot be done again: other processes have seen it."""
    return getattr(record, "acts", False)


class ExternStep:
    """Calls an op's forward on views of the frame's memory and keeps what it returns.

    Making an array over given memory takes as long as many a forward, and most memory is where it
    was in the call before: a frame keeps the arrays with the addresses they were made for.
    """

    def __init__(self, call: ExternCall, slots: Slots) -> None:
        self.instr = call.instr
        self.call = call
        record = lookup(call.instr.op)
        self.forward = record.forward
        self.acts = acts(record)
        self.operands = [
            (slots.of(x.buffer), x) if isinstance(x, View) else (-1, x) for x in call.operands
        ]
        self.results = [
            (-1 if view is None else slots.of(view.buffer), view, value)
            for view, value in zip(call.results, call.instr.outputs, strict=True)
        ]

    def __call__(self, frame: Any) -> None:
        operands = self._operands(frame)
        result = self.forward(*operands, **self.instr.params)
        results = result if isinstance(result, tuple | list) else (result,)
        for array, (slot, view, value) in zip(results, self.results, strict=True):
            if view is None:
                continue
            array = np.asarray(array)
            if array.shape != value.shape or array.dtype != value.dtype:
                raise RuntimeError(
                    f"{self.instr.op} returned {Value(array.shape, array.dtype).type} where "
                    f"the plan was traced with {value.type}"
                )
            if _borrowed(array, operands) or not _lies_as(array, view):
                array = _laid_out(array, view)
            frame.externs[view.buffer.index] = array
            frame.table[slot] = address(array)

    def _operands(self, frame: Any) -> list[Any]:
        known = frame.known.get(self)
        if known is None:
            known = frame.known[self] = [(0, None)] * len(self.operands)
        operands = []
        for i, (slot, x) in enumerate(self.operands):
            if slot < 0:
                operands.append(x)
            elif x.buffer.kind == "number":
                operands.append(frame.numbers[x.buffer.index].item())
            else:
                where = frame.table[slot]
                if known[i][0] != where:
                    known[i] = (where, _array_at(where, x))  # pyright: ignore[reportArgumentType, reportCallIssue]
                operands.append(known[i][1])
        return operands


def _array_at(where: int | None, view: View) -> np.ndarray:
    """The array of a view whose buffer (or arena) begins at this address."""
    buffer = view.buffer
    if not where or 0 in view.shape:
        return np.empty(view.shape, buffer.dtype)
    if buffer.kind == "temp":
        where += buffer.offset
    memory = (ctypes.c_char * buffer.nbytes).from_address(where)
    base = np.frombuffer(memory, buffer.dtype, buffer.size)  # pyright: ignore[reportArgumentType, reportCallIssue]
    strides = tuple(s * buffer.dtype.itemsize for s in view.strides)
    return as_strided(base[view.offset :], view.shape, strides)


def _borrowed(array: np.ndarray, operands: list[Any]) -> bool:
    """Whether a result shows memory of an operand, which later steps may overwrite."""
    return array.base is not None and any(
        isinstance(x, np.ndarray) and np.may_share_memory(array, x) for x in operands
    )


def _lies_as(array: np.ndarray, view: View) -> bool:
    """Whether the array's elements lie as the plan expects them."""
    if array.flags.c_contiguous:
        return view.contiguous
    size = array.itemsize
    return array.strides == tuple(s * size for s in view.strides)


def _laid_out(array: np.ndarray, view: View) -> np.ndarray:
    """A copy whose elements lie as the plan expects them."""
    order = sorted(range(array.ndim), key=lambda i: -view.strides[i])
    copied = np.empty([array.shape[i] for i in order], array.dtype)
    copied = copied.transpose(np.argsort(order))
    copied[...] = array
    return copied
