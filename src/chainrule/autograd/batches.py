"""vmap: run an op on a batch of examples as one op with a dimension more.

Each op says how (`batch=` in the table, `ops.batching`); what says nothing runs example by example
and is stacked, which is always correct.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ops.batching import Fold, Front, Plain
from ..ops.dtypes import FLOAT
from ..ops.schema import Op
from . import refusal
from .dispatch import TENSORS, P, entry, in_common_type
from .inplace import assign
from .levels import _OVERRIDES, Level, new_tensor, synced, track_view
from .trees import several
from .value import TensorBase, make


class BatchLevel(Level):
    """One vmap: tensors hide their batch dimension."""

    kind = "vmap"
    checks_writes = True
    transforms = "vmap"

    def __init__(self, size: int, randomness: str) -> None:
        super().__init__()
        self.size = size
        self.randomness = randomness

    def batched(self, value: Any, dim: int) -> Any:
        """A tensor whose dimension `dim` is hidden as the batch."""
        t = new_tensor("BatchTensor", self, value)
        t._bdim = dim
        t._rg, t._node = value._rg, None
        return t

    def lift(self, value: Any) -> Any:
        shape = (self.size, *value.shape)
        return self.batched(P.broadcast_to(value, shape=shape), 0)

    def new_like(self, made: Any, t: Any) -> Any:
        wide = np.broadcast_to(made._a, (self.size, *made.shape))
        return self.batched(super().new_like(make(np.array(wide)), t), 0)

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a, into._rg = value._a, value._rg
        into.__dict__["_bdim"] = value._bdim

    def detach(self, t: Any) -> Any:
        return self.batched(synced(t)._a.detach(), t._bdim)

    def detach_in_place(self, t: Any) -> None:
        t._a = t._a.detach()

    def data(self, t: Any) -> Any:
        raise refusal.runtime(
            "accessing `data` under vmap transform is not allowed", fix="use detach()."
        )

    def item(self, t: Any) -> Any:
        raise refusal.runtime(
            "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over "
            "calling .item() on a Tensor, please try to rewrite what you're doing with other "
            "operations.",
            why="A batched tensor has one value per example, so a Python number or branch cannot "
            "be made from it; torch.where chooses per example.",
        )

    def truth(self, t: Any) -> bool:
        raise refusal.runtime(
            "vmap: It looks like you're attempting to use a Tensor in some data-dependent control "
            "flow: there is one truth for each example",
            fix="torch.where chooses per example; or loop over the examples.",
        )

    def text(self, t: Any) -> str:
        inner = repr(synced(t)._a).replace("\n", "\n    ")
        return f"BatchedTensor(lvl={self.index}, bdim={t._bdim}, value=\n    {inner}\n)"

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        if isinstance(op.batch, Plain):
            return TENSORS.bind(op.batch.function)(*args, **params)
        values: list[Any] = []
        dims: list[Any] = []
        for a in _promoted(op, args):
            if isinstance(a, TensorBase) and a._level is self:
                if a._view is not None:
                    a = synced(a)
                values.append(a._a)
                dims.append(a._bdim)  # type: ignore[attr-defined]
            else:
                values.append(a)
                dims.append(None)
        result = run_batched(op, tuple(values), tuple(dims), params, self.size)
        if op.n_out == 1 and not op.view:
            return self.batched(result, 0)
        results = (result,) if op.n_out == 1 else tuple(result)
        outs = tuple(self.batched(r, 0) for r in results)
        if op.view and all(r._view is not None for r in results):
            track_view(op, args, params, outs)
        return outs[0] if op.n_out == 1 else outs

    def write(self, x: Any, value: Any, name: str) -> Any:
        from .level_writes import below, root_of

        if not self.mine(x):
            raise _more_elements(x, value, name)
        x = synced(x)
        inner = self.payload(value)
        shape = tuple(x._a.shape)
        if self.mine(value):
            inner = _batch_at(inner, value._bdim, x._bdim)
        else:
            lead = (*value.shape[: x._bdim], 1, *value.shape[x._bdim :])
            inner = P.broadcast_to(P.reshape(inner, shape=lead), shape=shape)
        with below(self):
            assign(x._a, inner, name)
        root = root_of(x)
        x._rg, root._rg = x._a._rg, root._a._rg
        return x


def _more_elements(x: Any, value: Any, name: str) -> RuntimeError:
    called = "inplace arithmetic" if name in ("copy_", "__setitem__") else name
    return refusal.runtime(
        f"vmap: {called}(self, *extra_args) is not possible because there exists a Tensor `other` "
        "in extra_args that has more elements than `self`: it writes a value of shape "
        f"{list(value.shape)} for each example into a tensor of shape {list(x.shape)} that all "
        "examples share",
        fix="use the out-of-place form, or write into a tensor that is mapped too, such as "
        "x.new_zeros(...) of a mapped x.",
    )


def _batch_at(value: Any, have: int, want: int) -> Any:
    """A value with its batch dimension moved to another place."""
    if have == want:
        return value
    rest = [k for k in range(value.ndim) if k != have]
    return P.transpose(value, perm=(*rest[:want], have, *rest[want:]))


def _logical_shape(self: Any) -> Any:
    shape, at = self._a.shape, self._bdim
    lengths = tuple(shape)
    kept = (*lengths[:at], *lengths[at + 1 :])
    return tuple.__new__(shape.__class__, kept)  # pyright: ignore[reportUnknownMemberType]


def _logical_stride(self: Any, dim: int | None = None) -> Any:
    strides = synced(self)._a.stride()
    strides = (*strides[: self._bdim], *strides[self._bdim + 1 :])
    return strides if dim is None else strides[dim]


def _logical_contiguous(self: Any, memory_format: Any = None) -> bool:
    """Whether each example is contiguous; the batch dimension may lie anywhere."""
    steps, expected = _logical_stride(self), 1
    if memory_format is not None and repr(memory_format) != "torch.contiguous_format":
        return False
    for n, step in zip(reversed(_logical_shape(self)), reversed(steps), strict=True):
        if n > 1 and step != expected:
            return False
        expected *= max(n, 1)
    return True


_OVERRIDES["BatchTensor"] = {
    "is_contiguous": _logical_contiguous,
    "stride": _logical_stride,
    "shape": property(_logical_shape),
    "ndim": property(lambda self: self._a.ndim - 1),
    "grad_fn": property(lambda self: self._a.grad_fn),
}


def _promoted(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Types are decided on the shapes the user sees, before batch dimensions are added."""
    if op.promote == "none":
        return args
    found = None
    for a in args:  # usually all are floats of one type, or numbers
        if isinstance(a, TensorBase):
            dtype = a.dtype  # type: ignore[attr-defined]
            if found is None:
                found = dtype
            if dtype is not found or dtype.category != FLOAT:
                return in_common_type(op, args)
        elif a.__class__ is not int and a.__class__ is not float:
            return in_common_type(op, args)
    return args


def run_batched(
    op: Op, values: tuple[Any, ...], dims: tuple[Any, ...], params: dict[str, Any], size: int
) -> Any:
    """The op on values whose batch dimensions are `dims`; results have theirs in front."""
    rule = op.batch
    call = entry(op)
    if rule in ("elementwise", "leading"):
        return call(*_aligned(values, dims), **params)
    front = tuple([to_front(v, d) if d else v for v, d in zip(values, dims, strict=True)])
    if isinstance(rule, Fold) and rule.inputs == tuple(
        name for name, d in zip(op.inputs, dims, strict=True) if d is not None
    ):
        return _folded(call, front, dims, params, size)
    if rule == "expand":
        (x,) = front
        shape = params["shape"]
        lead = (1,) * (len(shape) - (x.ndim - 1))
        x = P.reshape(x, shape=(size, *lead, *x.shape[1:]))
        return call(x, shape=(size, *shape))
    if isinstance(rule, Front):
        spread = tuple(
            v if d is not None or not isinstance(v, TensorBase)
            else P.broadcast_to(v, shape=(size, *v.shape))  # type: ignore[attr-defined]
            for v, d in zip(front, dims, strict=True)
        )  # fmt: skip
        return call(*spread, **rule.params(params, size))
    if callable(rule) and rule.__code__.co_argcount == 2:
        changed: dict[str, Any] = rule(front[0], params)  # type: ignore[assignment]
        return call(*front, **{**params, **changed})
    if callable(rule):
        batched = tuple(d is not None for d in dims)
        return TENSORS.bind(rule)(front, batched, size, params)
    return _loop(op, values, dims, params, size)


def _folded(call: Any, front: Any, dims: Any, params: dict[str, Any], size: int) -> Any:
    """Examples as more rows of the first dimension, and back."""
    joined = tuple(
        v if d is None else P.reshape(v, shape=(size * v.shape[1], *v.shape[2:]))
        for v, d in zip(front, dims, strict=True)
    )
    result = call(*joined, **params)

    def split(r: Any) -> Any:
        return P.reshape(r, shape=(size, r.shape[0] // size, *r.shape[1:]))

    return tuple(split(r) for r in several(result)) if isinstance(result, tuple) else split(result)


def to_front(value: Any, dim: int) -> Any:
    """The value with its batch dimension first."""
    if dim == 0:
        return value
    n = value.ndim
    return P.transpose(value, perm=(dim, *(k for k in range(n) if k != dim)))


def _aligned(values: tuple[Any, ...], dims: tuple[Any, ...]) -> list[Any]:
    """Batch dimensions in front, ranks made equal behind them (the last dims stay last)."""
    rank = 0
    ranks: list[int] = []
    for v, d in zip(values, dims, strict=True):
        have = 0
        if isinstance(v, TensorBase):
            have = v.ndim - (d is not None)  # type: ignore[attr-defined]
            rank = max(rank, have)
        ranks.append(have)
    out: list[Any] = []
    for v, d, have in zip(values, dims, ranks, strict=True):
        if d is not None:
            if d:
                v = to_front(v, d)
            missing = rank - have
            if missing:
                v = P.reshape(v, shape=(v.shape[0], *((1,) * missing), *v.shape[1:]))
        out.append(v)
    return out


def _loop(op: Op, values: Any, dims: Any, params: dict[str, Any], size: int) -> Any:
    """Example by example, then stacked."""
    if not size:
        return _of_no_examples(op, values, dims, params)
    call = entry(op)
    results: list[Any] = []
    for b in range(size):
        one = tuple(
            v if d is None else P.slice_view(v, index=(*((slice(None),) * d), b))
            for v, d in zip(values, dims, strict=True)
        )
        results.append(call(*one, **params))
    if op.shaped_by_values:
        _refuse_other_sizes(op.name, results)
    if op.n_out == 1:
        return stack(results)
    return tuple(stack([r[k] for r in results]) for k in range(len(results[0])))


def _refuse_other_sizes(name: str, results: list[Any]) -> None:
    """Results whose size depends on the values can be stacked if it happens to be the same."""
    shapes = [tuple(r.shape) for r in results if isinstance(r, TensorBase)]
    for k, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise refusal.runtime(
                f"stack expects each tensor to be equal size, but got {list(shapes[0])} at entry 0 "
                f"and {list(shape)} at entry {k}",
                f"vmap over {name}",
                why="The size of the result depends on the values of each example.",
                fix="give all examples results of one size, or loop over the examples.",
            )


def _of_no_examples(op: Op, values: Any, dims: Any, params: dict[str, Any]) -> Any:
    """No results, of the shape and type they would have: that of an example of ones and zeros."""
    one: list[Any] = []
    for v, d in zip(values, dims, strict=True):
        if d is None:
            one.append(v)
            continue
        shape = (*v.shape[:d], *v.shape[d + 1 :])
        array = np.zeros(shape, v.dtype.np)
        if v.dtype.category >= 2 and len(shape) > 1:  # a matrix that has an inverse
            array[..., range(min(shape[-2:])), range(min(shape[-2:]))] = 1
        one.append(make(array))
    made = entry(op)(*one, **params)
    outs = (made,) if op.n_out == 1 else tuple(made)
    none = tuple(make(np.zeros((0, *o.shape), o.dtype.np)) for o in outs)
    return none[0] if op.n_out == 1 else none


def stack(tensors: list[Any]) -> Any:
    """Tensors of one shape along a new first dimension."""
    return P.stack(*tensors, axis=0)
