"""The parameters of one sharded module: gathered and freed together, their gradients cut.

Before the module computes the parts are gathered; afterwards the whole parameters are freed, also
those that the backward pass will need: what it saved of them is a note of where they lay, and they
are gathered again. Gradients are averaged and cut as soon as all of the module's are there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd import refusal
from ..autograd.value import make
from ..nn.modules.module import Module
from ..ops.layout import address
from ..tensor import Parameter
from ..utils._pytree import tree_leaves
from .collectives import all_gather_into_tensor, all_reduce, reduce_scatter_tensor
from .ddp.reducer import at_end_of_backward
from .placement_types import Replicate, Shard, _StridedShard
from .reduction import ReduceOp
from .tensor.dtensor import DTensor
from .tensor.spec import Spec, piece

Owners = list[tuple[Module, str]]


class Piece:
    """One parameter: its whole, or what other cuts left of it, and this process's rows of that."""

    def __init__(self, owners: Owners, p: Any, cut: Cut) -> None:
        self.owners = owners
        self.inner: Spec | None = p._spec if isinstance(p, DTensor) else None
        local = p._local_tensor if isinstance(p, DTensor) else p
        if local.ndim == 0:
            raise ValueError(
                "fully_shard doesn't support scalar parameters. Fix: make it a tensor of one "
                "element."
            )
        self.shape, self.dtype = tuple(local.shape), local.dtype
        self.size = int(local.numel())
        self.chunk = -(-self.shape[0] // cut.group.size())
        self.padded = self.chunk * int(np.prod(self.shape[1:], dtype=np.int64))
        first, end = piece(self.shape[0], cut.group.size(), cut.group.rank())
        rows = local.detach()[first:end]
        rows = rows if rows.is_meta else rows.clone()
        made = DTensor(rows, cut.spec(self.inner, tuple(p.shape)))
        self.sharded: Any = Parameter(made, p.requires_grad)
        self.leaf: Any = None

    def show(self, tensor: Any) -> None:
        """Let the module have this as its parameter."""
        for owner, name in self.owners:
            owner._parameters[name] = tensor

    def refresh(self) -> None:
        """Take on what took the place of the parameter: moved, loaded by assignment."""
        owner, name = self.owners[0]
        found = owner._parameters[name]
        if found is not self.sharded and found is not self.leaf and isinstance(found, DTensor):
            self.sharded = found


@dataclass(frozen=True)
class Cut:
    """Between whom parameters are cut, and who has copies of the same part."""

    mesh: Any
    group: Any
    copies: Any  # the group with the same part; None without copies

    def spec(self, inner: Spec | None, shape: tuple[int, ...]) -> Spec:
        """The layout of a parameter cut once more along its first dimension."""
        mine: list[Any] = [Shard(0)] if self.copies is None else [Replicate(), Shard(0)]
        if inner is None:
            return Spec(self.mesh, tuple(mine), shape)
        again = [p for p in inner.placements if isinstance(p, Shard) and p.dim == 0]
        if again:
            mine[-1] = _StridedShard(0, inner.mesh.size())
        mesh = _joined(self.mesh, inner.mesh)
        return Spec(mesh, (*mine, *inner.placements), shape)


def _joined(outer: Any, inner: Any) -> Any:
    root = outer._root
    if root is None or inner._root is not root:
        raise refusal.value(
            "fully_shard of parameters that lie in another mesh",
            fix="make one mesh, init_device_mesh('cpu', (2, 2), mesh_dim_names=('dp', 'tp')), and "
            "use its parts mesh['dp'] and mesh['tp'].",
        )
    return root[(*outer.mesh_dim_names, *inner.mesh_dim_names)]


@dataclass
class Dtypes:
    """Types of what is computed with and exchanged, where they are not the parameters' own."""

    param: Any = None
    reduce: Any = None
    output: Any = None
    cast_inputs: bool = True


class ShardedGroup:
    """The parameters of one module, gathered and freed together."""

    def __init__(self, owners: Sequence[Owners], cut: Cut, dtypes: Dtypes) -> None:
        self.cut, self.group, self.dtypes = cut, cut.group, dtypes
        self.pieces = [Piece(own, getattr(*own[0]), cut) for own in owners]
        kinds = {p.dtype for p in self.pieces}
        if len(kinds) > 1 and dtypes.param is None:
            raise refusal.value(
                f"fully_shard expects uniform original parameter dtype but got {kinds}",
                fix="mp_policy=MixedPrecisionPolicy(param_dtype=...), or one type for all.",
            )
        self.dtype = (dtypes.param or self.pieces[0].dtype).np
        self.full: np.ndarray | None = None
        self.waiting: set[int] = set()
        self.grads: np.ndarray | None = None  # of this pass: a row for each process
        self.kept: np.ndarray | None = None  # of passes that were not averaged
        self.works: list[tuple[Any, np.ndarray]] = []
        self.keeps = False  # whole parameters between forward and backward
        self.in_backward = False
        self.syncs = True
        self.reduces_copies = True
        self.divides_by: float | None = None
        self.padded = sum(p.padded for p in self.pieces)
        for one in self.pieces:
            one.show(one.sharded)

    # ---- gathering ----

    def gather(self) -> np.ndarray:
        """The memory of all whole parameters, one after the other."""
        if self.full is None:
            rows = self._gathered()
            self.full = np.empty(sum(p.size for p in self.pieces), self.dtype)
            start = column = 0
            for one in self.pieces:
                values = rows[:, column : column + one.padded].reshape(-1)
                self.full[start : start + one.size] = values[: one.size]
                start, column = start + one.size, column + one.padded
        return self.full

    def _gathered(self) -> np.ndarray:
        """Everybody's parts: a row for each process."""
        mine, start = np.zeros(self.padded, self.dtype), 0
        for one in self.pieces:
            local = one.sharded._local_tensor
            if local.is_meta:
                raise refusal.runtime(
                    "fully_shard: a parameter is still on the meta device, and has no values",
                    fix="model.to_empty(device='cpu'), then initialise or load it.",
                )
            values = local._a.reshape(-1)
            mine[start : start + values.size] = values
            start += one.padded
        rows = np.empty((self.group.size(), self.padded), self.dtype)
        all_gather_into_tensor(make(rows), make(mine), self.group)
        return rows

    def unshard(self) -> None:
        """Let the module have its whole parameters."""
        for one in self.pieces:
            one.refresh()
        memory, start = self.gather(), 0
        for one in self.pieces:
            self._fill_leaf(one, memory[start : start + one.size].reshape(one.shape))
            one.show(one.leaf)
            start += one.size
        self._expect()

    def _expect(self) -> None:
        self.waiting = {id(one.leaf) for one in self.pieces if one.sharded.requires_grad}

    def _fill_leaf(self, one: Piece, values: np.ndarray) -> None:
        """The whole parameter: one object for all passes, since graphs end in it."""
        if one.leaf is None:
            local = make(values)
            made = local if one.inner is None else DTensor(local, one.inner)
            one.leaf = Parameter(made, one.sharded.requires_grad)
            if one.sharded.requires_grad:
                one.leaf.register_post_accumulate_grad_hook(lambda leaf: self._arrived(one))
        elif one.inner is None:
            one.leaf._a = values
            if one.leaf.requires_grad is not one.sharded.requires_grad:
                one.leaf.requires_grad_(one.sharded.requires_grad)
        else:
            one.leaf._local_tensor = make(values)

    def before_backward(self, gradient: Any = None) -> None:
        """A gradient has reached the module: it may be run again, to make what was not kept."""
        if not self.in_backward:
            self.in_backward = True
            at_end_of_backward(self._finish)
            self.unshard()

    def reshard(self, free: bool = False) -> None:
        """Free the whole parameters; their objects stay as leaves of the graph, without memory."""
        if self.in_backward:
            return
        for one in self.pieces:
            one.show(one.sharded)
        if self.keeps and not free:
            return
        for one in self.pieces:
            if one.leaf is not None:
                nothing = np.broadcast_to(np.zeros((), self.dtype), one.shape)
                if one.inner is None:
                    one.leaf._a = nothing
                else:
                    one.leaf._local_tensor = make(nothing)
        self.full = None

    def take_back(self) -> None:
        """Let the parts have what was written to the whole parameters."""
        for one in self.pieces:
            first, end = piece(one.shape[0], self.group.size(), self.group.rank())
            local = one.leaf if one.inner is None else one.leaf._local_tensor
            with torch.no_grad():
                one.sharded._local_tensor.copy_(local.detach()[first:end])

    # ---- what the backward pass saves ----

    def pack(self, tensor: Any) -> Any:
        """A note of where a saved tensor lay, if it is a part of the gathered memory."""
        array = tensor._a
        if self.full is None or array.__class__ is not np.ndarray or array.dtype != self.dtype:
            return tensor
        offset = address(array) - address(self.full)
        if not array.size or not 0 <= offset < self.full.nbytes:
            return tensor
        return _Note(offset, array.shape, array.strides)

    def unpack(self, saved: Any) -> Any:
        """The tensor, gathered again if need be."""
        if not isinstance(saved, _Note):
            return saved
        memory = self.gather()
        return make(np.ndarray(saved.shape, self.dtype, memory, saved.offset, saved.strides))

    # ---- gradients ----

    def watch(self, result: Any) -> Any:
        """Have it noticed when the backward pass reaches a result of the module."""
        if torch.is_grad_enabled():
            for leaf in tree_leaves(result):
                if isinstance(leaf, torch.Tensor) and leaf.requires_grad:
                    leaf.register_hook(self.before_backward)
        return result

    def _arrived(self, one: Piece) -> None:
        if self.grads is None:
            self.grads = np.zeros((self.group.size(), self.padded), self._reduced_in())
            if not self.in_backward:  # called beside the module's own forward
                at_end_of_backward(self._finish)
        place = self.pieces.index(one)
        column = sum(p.padded for p in self.pieces[:place])
        flat = np.zeros(one.padded * self.group.size(), self.grads.dtype)
        flat[: one.size] = self._values(one)._a.reshape(-1)
        self.grads[:, column : column + one.padded] += flat.reshape(self.group.size(), -1)
        one.leaf.grad = None
        self.waiting.discard(id(one.leaf))
        if not self.waiting:
            self._end_of_module()

    def _values(self, one: Piece) -> Any:
        grad = one.leaf.grad
        if one.inner is None:
            return grad
        return grad.redistribute(placements=one.inner.placements)._local_tensor

    def _reduced_in(self) -> Any:
        wanted = self.dtypes.reduce or self.dtypes.param
        return wanted.np if wanted is not None else self.dtype

    def _end_of_module(self) -> None:
        """All gradients of the module are there: exchange them, or keep them for later."""
        grads, self.grads = self.grads, None
        assert grads is not None
        if self.kept is not None:
            grads, self.kept = grads + self.kept, None
        self.in_backward = False
        self.reshard(free=True)
        if not self.syncs:
            self.kept = grads
            return
        mine = np.empty(self.padded, grads.dtype)
        op = ReduceOp.AVG if self.divides_by is None else ReduceOp.SUM
        work = reduce_scatter_tensor(make(mine), make(grads), op, self.group, async_op=True)
        self.works.append((work, mine))

    def _finish(self) -> None:
        """At the end of the pass: parameters without a gradient count as zeros."""
        if self.grads is not None:
            self._end_of_module()
        for work, mine in self.works:
            work.wait()
            if self.divides_by is not None:
                mine /= mine.dtype.type(self.divides_by)
            if self.cut.copies is not None and self.reduces_copies:
                op = ReduceOp.AVG if self.divides_by is None else ReduceOp.SUM
                all_reduce(make(mine), op, self.cut.copies)
            self._hand_out(mine)
        self.works = []
        self.in_backward = False
        self.reshard(free=True)
        self._expect()

    def _hand_out(self, mine: np.ndarray) -> None:
        start = 0
        for one in self.pieces:
            local = one.sharded._local_tensor
            if one.sharded.requires_grad:
                got = mine[start : start + local.numel()].reshape(tuple(local.shape))
                if one.sharded._grad is None:
                    grad = make(got.astype(one.dtype.np))
                    one.sharded._grad = DTensor(grad, one.sharded._spec)
                else:
                    into = one.sharded._grad._local_tensor._a
                    into[...] = into + got.astype(one.dtype.np)
            start += one.padded


@dataclass(frozen=True)
class _Note:
    """Where a saved tensor lies in the gathered memory."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
