"""Sharded training: parameters, gradients and optimizer state cut between processes.

`fully_shard(module)` leaves each process some rows of every parameter. Before the module computes
the parts are gathered; afterwards the whole parameters are freed, also those that the backward pass
will need: what it saved of them is a note of where they lay, and they are gathered again. Gradients
are averaged and cut as soon as all of the module's are there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import chainrule as torch

from ..autograd import refusal
from ..autograd.value import make
from ..nn.modules.module import Module
from ..ops.layout import address
from ..tensor import Parameter
from .collectives import all_gather_into_tensor, reduce_scatter_tensor
from .ddp.reducer import at_end_of_backward
from .device_mesh import DeviceMesh
from .group import current
from .reduction import ReduceOp
from .shards import Part, part_of, whole


class ShardedGroup:
    """The parameters of one module, gathered and freed together."""

    def __init__(self, module: Module, owners: Sequence[tuple[Module, str]], group: Any) -> None:
        self.owners, self.group = list(owners), group
        wholes = [getattr(owner, name) for owner, name in self.owners]
        self.parts = [Part(tuple(p.shape), group) for p in wholes]
        self.sizes = [int(p.numel()) for p in wholes]
        self.dtype = wholes[0].dtype.np
        self.full: np.ndarray | None = None
        self.sharded = [_shard(p, part) for p, part in zip(wholes, self.parts, strict=True)]
        self.leaves: list[Any] = []
        self.waiting: set[int] = set()
        self.grads: np.ndarray | None = None
        self.works: list[Any] = []
        self.keeps = False  # whole parameters between forward and backward
        self._show(self.sharded)

    def _show(self, tensors: Sequence[Any]) -> None:
        for (owner, name), tensor in zip(self.owners, tensors, strict=True):
            owner._parameters[name] = tensor

    # ---- gathering ----

    def gather(self) -> np.ndarray:
        """The memory of all whole parameters, one after the other."""
        if self.full is None:
            rows = self._gathered()
            self.full = np.empty(sum(self.sizes), self.dtype)
            start = column = 0
            for part, size in zip(self.parts, self.sizes, strict=True):
                piece = rows[:, column : column + part.padded].reshape(-1)
                self.full[start : start + size] = piece[:size]
                start, column = start + size, column + part.padded
        return self.full

    def _gathered(self) -> np.ndarray:
        """Everybody's parts: a row for each process."""
        padded = sum(part.padded for part in self.parts)
        mine, start = np.zeros(padded, self.dtype), 0
        for tensor, part in zip(self.sharded, self.parts, strict=True):
            values = tensor._a.reshape(-1)
            mine[start : start + values.size] = values
            start += part.padded
        rows = np.empty((self.group.size(), padded), self.dtype)
        all_gather_into_tensor(make(rows), make(mine), self.group)
        return rows

    def unshard(self) -> None:
        """Let the module have its whole parameters."""
        memory, start = self.gather(), 0
        self.leaves = []
        for tensor, part, size in zip(self.sharded, self.parts, self.sizes, strict=True):
            leaf = Parameter(
                make(memory[start : start + size].reshape(part.shape)), tensor.requires_grad
            )
            if tensor.requires_grad:
                leaf.register_post_accumulate_grad_hook(self._arrived)
            self.leaves.append(leaf)
            start += size
        self.places = {id(leaf): k for k, leaf in enumerate(self.leaves)}
        self.waiting = {id(leaf) for leaf in self.leaves if leaf.requires_grad}
        self._show(self.leaves)

    def reshard(self) -> None:
        """Free the whole parameters; their objects stay as leaves of the graph, without memory."""
        self._show(self.sharded)
        if self.keeps:
            return
        for leaf, part in zip(self.leaves, self.parts, strict=True):
            leaf._a = np.broadcast_to(np.zeros((), self.dtype), part.shape)
        self.full = None

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

    def _arrived(self, leaf: Any) -> None:
        place = self.places.get(id(leaf))
        if place is None:
            raise refusal.runtime(
                "fully_shard: a backward pass through an older forward pass of a module; run "
                "backward before the module's next forward"
            )
        if self.grads is None:
            padded = sum(part.padded for part in self.parts)
            self.grads = np.zeros((self.group.size(), padded), self.dtype)
            at_end_of_backward(self._finish)
        column = sum(part.padded for part in self.parts[:place])
        part = self.parts[place]
        flat = np.zeros(part.padded * self.group.size(), self.dtype)
        flat[: self.sizes[place]] = leaf._grad._a.reshape(-1)
        self.grads[:, column : column + part.padded] = flat.reshape(self.group.size(), -1)
        leaf._grad = None
        self.waiting.discard(id(leaf))
        if not self.waiting:
            self._reduce()

    def _reduce(self) -> None:
        assert self.grads is not None
        mine = np.empty(self.grads.shape[1], self.dtype)
        work = reduce_scatter_tensor(
            make(mine), make(self.grads), ReduceOp.AVG, self.group, async_op=True
        )
        self.works.append((work, mine))
        self.grads = None
        self.full = None

    def _finish(self) -> None:
        """At the end of the pass: parameters without a gradient count as zeros."""
        if self.grads is not None:
            self._reduce()
        for work, mine in self.works:
            work.wait()
            start = 0
            for tensor, part in zip(self.sharded, self.parts, strict=True):
                if tensor.requires_grad:
                    got = mine[start : start + tensor.numel()].reshape(tuple(tensor.shape))
                    if tensor._grad is None:
                        tensor.grad = make(got.copy())
                    else:
                        tensor._grad._a[...] += got
                start += part.padded
        self.works = []
        self.full = None
        self.waiting = {id(leaf) for leaf in self.leaves if leaf.requires_grad}


@dataclass(frozen=True)
class _Note:
    """Where a saved tensor lies in the gathered memory."""

    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _shard(p: Any, part: Part) -> Any:
    if p.ndim == 0:
        raise ValueError(
            "fully_shard doesn't support scalar parameters. Fix: make it a tensor of one element."
        )
    first, end = part.mine
    made = Parameter(make(p._a[first:end].copy()), p.requires_grad)
    made._part = part
    return made


# ---- fully_shard ---------------------------------------------------------------------------------


class FSDPModule:
    """What a module becomes by `fully_shard`."""

    _sharded_group: ShardedGroup | None

    def unshard(self, async_op: bool = False) -> None:
        """Gather the whole parameters now."""
        if self._sharded_group is not None:
            self._sharded_group.unshard()

    def reshard(self) -> None:
        """Free the whole parameters now."""
        if self._sharded_group is not None:
            self._sharded_group.reshard()

    def set_requires_gradient_sync(self, requires: bool, *, recurse: bool = True) -> None:
        """Gradients are always averaged: sharded ones cannot be kept whole."""

    def set_reshard_after_forward(self, reshard: bool, recurse: bool = True) -> None:
        """Whether whole parameters are freed between forward and backward."""
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]
            if getattr(module, "_sharded_group", None) is not None:
                module._sharded_group.keeps = not reshard


def fully_shard(
    module: Any, *, mesh: DeviceMesh | None = None, reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Any = None, mp_policy: Any = None, offload_policy: Any = None,
    ignored_params: set[Any] | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Cut the parameters of a module between processes; children first, then what is left.

    The optimizer must be made afterwards, from the parameters there are then.
    """
    if mp_policy is not None and getattr(mp_policy, "param_dtype", None) is not None:
        raise NotImplementedError(
            "fully_shard: mp_policy with a param_dtype. Fix: torch.autocast around forward."
        )
    group = current(None) if mesh is None else mesh.get_group()
    owners = _free_parameters(module, ignored_params or set())
    kind = type(module)
    module.__class__ = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {})
    object.__setattr__(module, "_sharded_group", None)
    if not owners:
        return module
    made = ShardedGroup(module, owners, group)
    made.keeps = reshard_after_forward is False
    object.__setattr__(module, "_sharded_group", made)
    plain = module.forward

    def forward(*args: Any, **kwargs: Any) -> Any:
        made.unshard()
        try:
            with torch.autograd.graph.saved_tensors_hooks(made.pack, made.unpack):
                return plain(*args, **kwargs)
        finally:
            made.reshard()

    object.__setattr__(module, "forward", forward)
    module._register_state_dict_hook(_mark_parts)
    return module


def _free_parameters(module: Module, ignored: set[Any]) -> list[tuple[Module, str]]:
    """Parameters that no sharded module has yet, each once."""
    found: list[tuple[Module, str]] = []
    seen: set[int] = set()
    for owner in module.modules():
        for name, p in owner._parameters.items():
            if p is None or p in ignored or part_of(p) is not None or id(p) in seen:
                continue
            seen.add(id(p))
            found.append((owner, name))
    shared = sum(1 for o in module.modules() for p in o._parameters.values() if id(p) in seen)
    if shared != len(found):
        raise refusal.value(
            "fully_shard: a parameter is shared by two modules, and each would gather its own.",
            fix="pass it in ignored_params, or untie the weights.",
        )
    return found


def _mark_parts(module: Any, state: dict[str, Any], prefix: str, metadata: Any) -> None:
    """Let the tensors of a state dict say which rows they are."""
    for name, p in module.named_parameters():
        entry = state.get(prefix + name)
        if entry is not None and part_of(p) is not None:
            entry._part = part_of(p)


# ---- the wrapper class ---------------------------------------------------------------------------


class FullyShardedDataParallel(Module):
    """A module with `fully_shard` applied to it, under PyTorch's older name.

    `state_dict` gives whole parameters, on all processes; `load_state_dict` takes them.
    """

    def __init__(
        self, module: Any, process_group: Any = None, sharding_strategy: Any = None,
        cpu_offload: Any = None, auto_wrap_policy: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        mesh = options.get("device_mesh")
        group = current(process_group)
        mesh = mesh or DeviceMesh("cpu", list(group.ranks), _groups=[group])
        _broadcast_states(module, group)
        for child in list(module.modules()):
            if child is not module and _wraps(auto_wrap_policy, child):
                fully_shard(child, mesh=mesh)
        fully_shard(module, mesh=mesh)
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The module's result."""
        return self.module(*args, **kwargs)

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Whole parameters and buffers, under the names of the module itself."""
        return {name: whole(value) for name, value in self.module.state_dict().items()}

    def load_state_dict(self, state_dict: Any, strict: bool = True, assign: bool = False) -> Any:
        """Take this process's rows of whole parameters."""
        return self.module.load_state_dict(cut_state(self.module, state_dict), strict)

    def clip_grad_norm_(self, max_norm: float, norm_type: float = 2.0) -> Any:
        """Scale gradients by the norm over all processes."""
        return torch.nn.utils.clip_grad_norm_(self.parameters(), max_norm, norm_type)

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(module: Any, **options: Any) -> Iterator[None]:
        """Whole parameters inside the block; what is written to them is lost."""
        groups = [g for m in module.modules() if (g := getattr(m, "_sharded_group", None))]
        for group in groups:
            group.unshard()
        try:
            yield
        finally:
            for group in groups:
                group.reshard()


def _broadcast_states(module: Any, group: Any) -> None:
    from .ddp.sync import broadcast_all

    if group.size() > 1:
        broadcast_all([*module.parameters(), *module.buffers()], group)


def _wraps(policy: Any, module: Any) -> bool:
    if policy is None:
        return False
    classes = getattr(policy, "_module_classes", None)
    if classes is not None:
        return isinstance(module, tuple(classes))
    count = sum(p.numel() for p in module.parameters())
    return bool(policy(module=module, recurse=False, nonwrapped_numel=count))


def cut_state(module: Any, state: dict[str, Any]) -> dict[str, Any]:
    """This process's rows of whole parameters."""
    parts = {name: part_of(p) for name, p in module.named_parameters()}
    cut = {}
    for name, value in state.items():
        part = parts.get(name)
        if part is not None and tuple(value.shape) == part.shape:
            first, end = part.mine
            value = value[first:end]
        cut[name] = value
    return cut


__all__ = ["FSDPModule", "FullyShardedDataParallel", "fully_shard"]
