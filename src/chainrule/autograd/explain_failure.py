"""NumPy's complaints about shapes and indices, in the user's terms.

Each op kind has its well-known phrase; then come the shapes, the op, the line and the fix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.errors import Refusal
from ..ops.schema import Op, Refused
from . import refusal, source
from .value import TensorBase

TOO_MANY = (
    "numel: integer multiplication overflow: the result would have more elements than memory can "
    "be addressed"
)
# How NumPy says that no address can count the elements or bytes of an array.
_UNCOUNTABLE = (
    "array is too big", "Maximum allowed dimension exceeded", "Maximum allowed size exceeded",
    "iterator is too large",
)  # fmt: skip


def uncountable(problem: Exception) -> bool:
    """Whether an error of NumPy's is about a size that no memory can have.

    >>> try: np.broadcast_to(np.ones(1), (2**40, 2**40))
    ... except ValueError as problem: uncountable(problem)
    True
    """
    return isinstance(problem, ValueError) and str(problem).startswith(_UNCOUNTABLE)


def _shapes(args: tuple[Any, ...]) -> list[tuple[int, ...]]:
    return [tuple(a.shape) for a in args if isinstance(a, TensorBase)]  # type: ignore[attr-defined]


def explained(
    op: Op, args: tuple[Any, ...], params: dict[str, Any], problem: Exception
) -> Exception:
    """The error to raise instead of `problem`."""
    if isinstance(problem, Refusal):
        return refusal.runtime(problem.what, fix=problem.fix)
    shapes = _shapes(args)
    where = f"  {op.name} of {_listed(shapes)} at {source.here()}"
    if isinstance(problem, Refused):
        return problem.kind(f"{problem}\n{where}")
    if op.name in ("matmul", "linear2d", "addmm") and len(shapes) >= 2:
        return _matmul(op, shapes, where)
    if op.name == "view":
        stride = list(args[0].stride())
        return refusal.runtime(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
            f"shape {list(shapes[0])} with strides {stride} cannot be read as "
            f"{list(params['shape'])} without copying",
        )
    if op.name == "slice_view":
        return _index(args[0], params["index"], problem, where)
    if op.broadcasts and len(shapes) >= 2:
        found = _broadcast(shapes, where)
        if found is not None:
            return found
    if isinstance(problem, np.linalg.LinAlgError):
        return problem
    if isinstance(problem, MemoryError):
        return RuntimeError(f"DefaultCPUAllocator: can't allocate memory: {problem}\n{where}")
    if uncountable(problem):
        return RuntimeError(f"{TOO_MANY}\n{where}")
    if isinstance(problem, IndexError):
        return IndexError(f"{problem}\n{where}")
    kind = TypeError if isinstance(problem, TypeError | AttributeError) else RuntimeError
    return kind(f"{problem}\n{where}")


def _listed(shapes: list[tuple[int, ...]]) -> str:
    return " and ".join(str(list(s)) for s in shapes) or "no tensors"


def _broadcast(shapes: list[tuple[int, ...]], where: str) -> RuntimeError | None:
    for a in shapes:
        for b in shapes:
            rank = max(len(a), len(b))
            for k in range(1, min(len(a), len(b)) + 1):
                if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
                    return RuntimeError(
                        f"The size of tensor a ({a[-k]}) must match the size of tensor b "
                        f"({b[-k]}) at non-singleton dimension {rank - k}\n{where}\n"
                        "  Shapes are compared from the last dimension backwards; two sizes go "
                        "together when they are equal or one is 1. Fix: reshape, transpose or "
                        "unsqueeze one of them."
                    )
    return None


def _matmul(op: Op, shapes: list[tuple[int, ...]], where: str) -> RuntimeError:
    a, b = shapes[0], shapes[1]
    if op.name == "linear2d":
        b = b[::-1]
    if len(a) == 2 and len(b) == 2:
        return RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})\n"
            f"{where}\n  The inner sizes {a[1]} and {b[0]} must be equal. Fix: transpose one, or "
            "change the layer's in_features."
        )
    return RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{a[0]}, {a[-1]}] but "
        f"got: {list(b)}.\n{where}\n  The last size of the first ({a[-1]}) must equal the "
        f"second-last of the second ({b[-2]}), and leading sizes must broadcast."
    )


def _index(t: Any, index: tuple[Any, ...], problem: Exception, where: str) -> IndexError:
    shape = tuple(t.shape)
    used = sum(i is not None for i in index)
    if used > len(shape):
        return IndexError(
            f"too many indices for tensor of dimension {len(shape)}: the index uses {used}\n{where}"
        )
    dim = 0
    for i in index:
        if i is None:
            continue
        if isinstance(i, int) and not -shape[dim] <= i < shape[dim]:
            return IndexError(
                f"index {i} is out of bounds for dimension {dim} with size {shape[dim]}\n{where}"
            )
        dim += 1
    return IndexError(f"{problem}\n{where}")
