"""How values of several processes are combined, and in which number formats.

What MPI can add it adds. The narrow floats (float16, bfloat16, the float8s), which it does not
know, are exchanged as bytes, combined in float32 in the order of the ranks, and rounded once.
The smallest and largest of floats are combined here too: MPI compares, and NaN, or 0.0 beside
-0.0, would leave processes with different results. Bools combine as truth values, complex numbers
as pairs.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from ..autograd import refusal
from . import mpi


class RedOpType(enum.IntEnum):
    """How values of several processes are combined."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


ReduceOp: Any = RedOpType
ReduceOp.RedOpType = RedOpType  # under both names in PyTorch


class PremulSum:
    """Multiply by a factor, then add: what `_make_nccl_premul_sum` gives."""

    name = "PREMUL_SUM"

    def __init__(self, factor: Any) -> None:
        self.factor = factor

    def __repr__(self) -> str:
        return f"PREMUL_SUM({self.factor})"


_LOGICAL = {"SUM": "MAX", "PRODUCT": "MIN", "BAND": "MIN", "BOR": "MAX"}
_BITWISE = ("BAND", "BOR", "BXOR")
_MPI_NAMES = {"PRODUCT": "PROD", "AVG": "SUM", "PREMUL_SUM": "SUM"}
_COMBINING = {
    "SUM": np.add, "AVG": np.add, "PREMUL_SUM": np.add, "PRODUCT": np.multiply,
    "MIN": np.minimum, "MAX": np.maximum,
}  # fmt: skip


class Reduction:
    """One way to combine arrays of one dtype."""

    def __init__(self, op: Any, dtype: np.dtype, name: str) -> None:
        if not isinstance(op, RedOpType | PremulSum):
            raise TypeError(f"{name}: unsupported reduce op {op!r}: it is none of ReduceOp")
        self.kind = op.name
        if self.kind == "PREMUL_SUM" and not isinstance(op, PremulSum):
            raise refusal.value(
                f"{name}: ReduceOp.PREMUL_SUM needs its factor",
                fix="torch.distributed._make_nccl_premul_sum(factor).",
            )
        self.factor = op.factor if isinstance(op, PremulSum) else None
        self.dtype = dtype
        narrow = is_narrow(dtype)
        # Whether values are combined here, in the order of the ranks, and not by MPI.
        self.by_rows = narrow or (dtype.kind == "f" and self.kind in ("MIN", "MAX"))
        self._wide = np.dtype(np.float32) if narrow else dtype
        if dtype.kind == "c" and self.kind not in ("SUM", "AVG", "PREMUL_SUM"):
            raise refusal.value(f"{name} does not support {op} on complex tensors")
        if self.kind in _BITWISE and dtype.kind not in "iub":
            raise refusal.runtime(
                f"Cannot use ReduceOp.{self.kind} with non-integral dtype {dtype.name}"
            )

    def mpi_op(self) -> Any:
        """MPI's op for it."""
        kind = _LOGICAL.get(self.kind, self.kind) if self.dtype.kind == "b" else self.kind
        return getattr(mpi.library(), _MPI_NAMES.get(kind, kind))

    def prepare(self, array: np.ndarray) -> None:
        """What happens to each process's values before they are combined, in place."""
        if self.factor is not None:
            factor = self.factor
            array *= np.asarray(getattr(factor, "_a", factor)).astype(array.dtype)

    def prepared(self, array: np.ndarray) -> np.ndarray:
        """The values to be combined, without changing the caller's."""
        if self.factor is None:
            return array
        array = array.copy()
        self.prepare(array)
        return array

    def finish(self, array: np.ndarray, size: int) -> None:
        """What happens to the combined values, in place."""
        if self.kind == "AVG" and array.dtype.kind in "iu":
            array[...] = (np.abs(array) // size * np.sign(array)).astype(array.dtype)
        elif self.kind == "AVG" and array.dtype.kind != "b":
            array /= array.dtype.type(size)

    def rows(self, parts: np.ndarray, size: int) -> np.ndarray:
        """Rows combined in their order, narrow formats in float32 and rounded once."""
        wide = parts.astype(self._wide)
        combined = wide[0]
        for row in wide[1:]:
            _COMBINING[self.kind](combined, row, out=combined)
        self.finish(combined, size)
        with np.errstate(over="ignore"):  # inf, as in every sum of the format
            return combined.astype(self.dtype)


def is_narrow(dtype: np.dtype) -> bool:
    """Whether a dtype is a float that MPI does not know."""
    return dtype.kind == "V" or (dtype.kind == "f" and dtype.itemsize < 4)


def wire(array: np.ndarray) -> np.ndarray:
    """The same memory in a type that MPI knows."""
    dtype = array.dtype
    if dtype.kind == "c":
        return array.view(np.float32 if dtype.itemsize == 8 else np.float64)
    if dtype.kind == "b" or (is_narrow(dtype) and dtype.itemsize == 1):
        return array.view(np.uint8)
    return array.view(np.uint16) if is_narrow(dtype) else array


def per_element(dtype: np.dtype) -> int:
    """How many elements of the wire's type one of this type is."""
    return 2 if dtype.kind == "c" else 1
