"""What a node of the tape keeps alive, and of which memory that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.op_rules import saved_names
from ..autograd.value import TensorBase
from ..ops.dtypes import from_numpy_dtype
from ..reading.source import Place
from ..utils.checkpoint_measure import memory_root

ACTIVATION, PARAMETER, CONSTANT = "activation", "parameter", "constant"


@dataclass(slots=True)
class Saved:
    """One piece of memory that the tape keeps for backward, under the first op that saved it."""

    op: str
    name: str  # what the op's rule calls it
    place: Place
    module: str
    shape: tuple[int, ...]
    dtype: Any
    bytes: int  # of the whole memory: a view keeps all of what it looks at
    kind: str  # "activation", "parameter", or "constant": a value that no gradient flows to
    nodes: int = 1  # how many nodes saved it

    @property
    def line(self) -> str:
        """`model.py:7`."""
        return self.place.short


def held_arrays(node: Any) -> Iterator[tuple[str, np.ndarray, str]]:
    """(name, array, kind) of everything a node keeps."""
    s = node.s
    if not s:
        return
    if node.op is None:
        for k, value in enumerate(s):
            for array in _arrays(value):
                yield f"tensor {k}", array, _kind_among_parents(node, array)
        return
    for name, value in zip(saved_names(node.op), s, strict=False):
        kind, place = node.op.classify(name)
        if kind == "out":
            for array in _arrays(value):
                yield name, array, ACTIVATION
        elif kind == "in":
            variadic = isinstance(value, tuple)
            for k, array in enumerate(_arrays(value)):
                parent = node.parents[place + k if variadic else place]
                yield name, array, _kind_of(parent, array)


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, TensorBase):
        return _arrays(value._a)
    if isinstance(value, tuple | list):
        return [a for v in value for a in _arrays(v)]
    packed = getattr(value, "value", None)  # by a saved-tensor hook; recomputed ones hold nothing
    return _arrays(packed) if isinstance(packed, np.ndarray | TensorBase | tuple | list) else []


def _kind_of(parent: Any, array: np.ndarray) -> str:
    if parent is None:
        return CONSTANT
    if not isinstance(parent, TensorBase):
        return ACTIVATION
    whole = isinstance(parent._a, np.ndarray) and memory_root(parent._a) is memory_root(array)
    return PARAMETER if whole else ACTIVATION


def _kind_among_parents(node: Any, array: np.ndarray) -> str:
    for parent in node.parents:
        if isinstance(parent, TensorBase) and _kind_of(parent, array) == PARAMETER:
            return PARAMETER
    return ACTIVATION


def entry(
    op: str, name: str, place: Place, module: str, array: np.ndarray, kind: str, nbytes: int
) -> Saved:
    """The record of an array that a node saved."""
    return Saved(op, name, place, module, array.shape, from_numpy_dtype(array.dtype), nbytes, kind)
