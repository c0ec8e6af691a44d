"""What each op does with sparse tensors, in public ops on their indices and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.dispatch import entry
from ..ops.dtypes import from_numpy_dtype
from ..ops.schema import Op
from ..tensor.functions.nn_common import named
from .tensor import SparseTensor, coo

HANDLERS: dict[str, Callable[..., Any]] = {}


def handles(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare what ops do with sparse arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        HANDLERS.update(dict.fromkeys(names, function))
        return function

    return register


def handle(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Run an op at least one of whose arguments is sparse."""
    found = HANDLERS.get(op.name)
    if found is not None:
        return found(*args, **params)
    if op.keeps_zero:  # only stored values change; places that occur twice are added up before
        t = args[0].coalesce()
        return t._like(t._indices(), entry(op)(t._values(), **params))
    raise unsupported(op.name, args)


def unsupported(name: str, args: tuple[Any, ...]) -> NotImplementedError:
    """The error for what sparse tensors cannot do."""
    shapes = ", ".join(
        f"{'sparse' if is_sparse(a) else 'dense'} {list(a.shape)}"
        for a in args
        if isinstance(a, torch.Tensor)
    )
    return refusal.not_implemented(
        f"Could not run '{name}' with arguments from the 'SparseCPU' backend: ({shapes})",
        fix="x.to_dense() first, or compute on x.coalesce().values().",
    )


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse tensor."""
    return isinstance(value, SparseTensor)


# ---- products ------------------------------------------------------------------------------------


@handles("mm", "mv", "matmul")
def product(a: Any, b: Any) -> Any:
    """A matrix product in which at least one side is sparse."""
    if a.shape[-1] != b.shape[0] or a.ndim != 2 or b.ndim > 2:
        raise refusal.runtime(
            f"mat1 and mat2 shapes cannot be multiplied ({_shown(a)} and {_shown(b)})"
        )
    if is_sparse(a) and is_sparse(b):
        return to_sparse(sparse_times_dense(a, b.to_dense()))
    if is_sparse(a):
        return sparse_times_dense(a, b)
    return sparse_times_dense(transposed(b, (1, 0)), a.t()).t()


def _shown(t: Any) -> str:
    return "x".join(map(str, t.shape))


def sparse_times_dense(a: Any, b: Any) -> Any:
    """Each value scales a row of b, which is added to the value's row of the result."""
    if a.dense_dim():
        raise unsupported("mm", (a, b))
    rows, columns = a._indices()
    values = a._values().reshape(-1, *(1,) * (b.ndim - 1))
    terms = values * b.index_select(0, columns)
    zeros = terms.new_zeros((a.shape[0], *b.shape[1:]))
    return named(zeros.index_add(0, rows, terms), "SparseAddmmBackward0")


@handles("addmm")
def addmm(c: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * c + alpha * (a @ b)."""
    return beta * c + alpha * product(a, b)


# ---- elementwise ---------------------------------------------------------------------------------


@handles("clone")
def clone(t: Any, **params: Any) -> Any:
    """A copy."""
    return t._like(t._indices().clone(), t._values().clone())


@handles("cast")
def cast(t: Any, *, dtype: Any) -> Any:
    """Another type of values."""
    return t._like(t._indices(), t._values().to(from_numpy_dtype(dtype)))


@handles("neg")
def neg(t: Any) -> Any:
    """Every value negated."""
    return t._like(t._indices(), -t._values())


@handles("mul")
def mul(a: Any, b: Any) -> Any:
    """By a number, a dense tensor of the same shape, or another sparse tensor."""
    if not is_sparse(a):
        a, b = b, a
    if _is_number(b):
        return a._like(a._indices(), a._values() * b)
    if not is_sparse(b) and b.shape != a.shape:
        b = b.expand(a.shape)
    _same_shape("mul", a, b)
    if is_sparse(b):
        a, b = a.coalesce(), b.coalesce()
        kept = torch.isin(a._keys(), b._keys()).nonzero().squeeze(1)
        a = a._like(a._indices()[:, kept], a._values()[kept])
        b = b.to_dense()
    return a._like(a._indices(), a._values() * b[tuple(a._indices())])


@handles("div")
def div(a: Any, b: Any) -> Any:
    """By a number or a 0-dim tensor."""
    if not is_sparse(a) or not _is_number(b):
        raise unsupported("div", (a, b))
    return a._like(a._indices(), a._values() / b)


@handles("pow")
def power(a: Any, b: Any) -> Any:
    """To a positive number's power."""
    if not is_sparse(a) or not isinstance(b, int | float) or b <= 0:
        raise unsupported("pow", (a, b))
    a = a.coalesce()
    return a._like(a._indices(), a._values() ** b)


@handles("add")
def add(a: Any, b: Any) -> Any:
    """Sparse with sparse, or dense with sparse, which is dense."""
    if not (is_sparse(a) and is_sparse(b)):
        if not is_sparse(b) or not isinstance(a, torch.Tensor):
            raise refusal.runtime(
                "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
            )
        return a + b.to_dense()
    _same_shape("add", a, b)
    if torch.equal(a._indices(), b._indices()):
        return a._like(a._indices(), a._values() + b._values())
    indices = torch.cat([a._indices(), b._indices()], dim=1)
    total = a._like(indices, torch.cat([a._values(), b._values()]), coalesced=False)
    return total.coalesce() if a.is_coalesced() and b.is_coalesced() else total


@handles("sub")
def sub(a: Any, b: Any) -> Any:
    """a + (-b)."""
    return add(a, -b)


def _is_number(value: Any) -> bool:
    return not isinstance(value, torch.Tensor) or (value.ndim == 0 and not is_sparse(value))


def _same_shape(name: str, a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise refusal.runtime(
            f"{name}: expected 'self' and 'other' to have same size, but {list(a.shape)} != "
            f"{list(b.shape)}"
        )


# ---- shapes and reductions -----------------------------------------------------------------------


def transposed(t: Any, order: tuple[int, ...]) -> Any:
    """The dimensions in another order."""
    if t.dense_dim():
        raise unsupported("transpose", (t,))
    size = tuple(t.shape[d] for d in order)
    return coo(t._indices()[list(order)], t._values(), size)


@handles("t")
def t_(t: Any) -> Any:
    """Rows and columns exchanged."""
    return transposed(t, (1, 0)) if t.ndim == 2 else t


@handles("transpose")
def transpose(t: Any, *, perm: tuple[int, ...]) -> Any:
    """The dimensions in the order of `perm`."""
    return transposed(t, perm)


@handles("swap_axes")
def swap_axes(t: Any, *, axis0: int, axis1: int) -> Any:
    """Two dimensions exchanged."""
    order = list(range(t.ndim))
    order[axis0], order[axis1] = axis1, axis0
    return transposed(t, tuple(order))


@handles("select_view", "index_select")
def through_dense(t: Any, *args: Any, **params: Any) -> Any:
    """What is chosen from the dense tensor, as a sparse one."""
    from ..ops.schema import TABLE

    op = TABLE["index_select" if args else "select_view"]
    return to_sparse(entry(op)(t.to_dense(), *args, **params))


@handles("cat")
def cat(*tensors: Any, axis: int) -> Any:
    """One after the other along a sparse dimension."""
    if not all(map(is_sparse, tensors)) or axis >= tensors[0].sparse_dim():
        raise unsupported("cat", tensors)
    parts, start = [], 0
    for t in tensors:
        moved = t._indices().clone()
        moved[axis] += start
        parts.append(moved)
        start += t.shape[axis]
    size = tuple(start if d == axis else n for d, n in enumerate(tensors[0].shape))
    return coo(torch.cat(parts, dim=1), torch.cat([t._values() for t in tensors]), size)


@handles("reduce_sum")
def reduce_sum(t: Any, *, axis: tuple[int, ...], keepdims: bool = False, **params: Any) -> Any:
    """The sum of everything, or over some sparse dimensions."""
    if keepdims:
        if len(axis) == t.ndim:
            raise unsupported("sum", (t,))
        out = reduce_sum(t, axis=axis)
        for d in sorted(axis):
            out = out.unsqueeze(d)
        return out
    if len(axis) == t.ndim:
        return t._values().sum()
    if any(a >= t.sparse_dim() for a in axis):
        raise unsupported("sum", (t,))
    kept = [d for d in range(t.sparse_dim()) if d not in axis]
    if not kept:
        return t._values().sum(0)
    size = tuple(t.shape[d] for d in range(t.ndim) if d not in axis)
    return coo(t._indices()[kept], t._values(), size).coalesce()


@handles("reduce_norm")
def reduce_norm(t: Any, *, axis: tuple[int, ...], keepdims: bool, order: float) -> Any:
    """The norm of all values."""
    if keepdims or len(axis) != t.ndim or order <= 0:
        raise unsupported("norm", (t,))
    return t.coalesce()._values().norm(order)


def to_sparse(t: Any, sparse_dim: int | None = None) -> Any:
    """A dense tensor's values that are not zero, with their places."""
    count = t.ndim if sparse_dim is None else sparse_dim
    nonzero = t.detach() != 0
    if count < t.ndim:
        nonzero = nonzero.flatten(count).any(dim=-1)
    indices = nonzero.nonzero().t().contiguous()
    values = t[tuple(indices)] if t.ndim else t.reshape(1)
    if values.requires_grad:
        values = named(values, f"ToSparseBackward{int(sparse_dim is None)}")
    return coo(indices, values, tuple(t.shape), True)
