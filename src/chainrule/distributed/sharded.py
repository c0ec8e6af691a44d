"""`fully_shard`: parameters, gradients and optimizer state cut between processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..nn.modules.module import Module
from ..utils._pytree import tree_map
from .device_mesh import DeviceMesh
from .shard_group import Cut, Dtypes, Owners, ShardedGroup


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """Types in which a sharded module computes, reduces gradients and gives its results."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parameters stay where they are."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters wait on the CPU, where all of them are here."""

    pin_memory: bool = True


class UnshardHandle:
    """What `unshard(async_op=True)` gives: the parameters are there already."""

    def wait(self) -> None:
        """Nothing is left to be waited for."""


class FSDPModule:
    """What a module becomes by `fully_shard`."""

    _sharded_group: ShardedGroup | None

    def _groups(self, recurse: bool) -> Iterator[ShardedGroup]:
        for module in self.modules() if recurse else [self]:  # type: ignore[attr-defined]
            found = module.__dict__.get("_sharded_group")
            if found is not None:
                yield found

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the whole parameters now."""
        if self._sharded_group is not None:
            self._sharded_group.unshard()
        return UnshardHandle() if async_op else None

    def reshard(self) -> None:
        """Free the whole parameters now."""
        if self._sharded_group is not None:
            self._sharded_group.reshard(free=True)

    def set_requires_gradient_sync(
        self, requires_gradient_sync: bool, *, recurse: bool = True
    ) -> None:
        """Whether gradients are averaged; else they are kept whole and added to later ones."""
        for group in self._groups(recurse):
            group.syncs = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Whether gradients are averaged between copies of the same part."""
        for group in self._groups(recurse):
            group.reduces_copies = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Whether whole parameters are freed between forward and backward."""
        for group in self._groups(recurse):
            group.keeps = not reshard_after_forward

    def set_gradient_divide_factor(self, factor: float) -> None:
        """By what the sum of gradients is divided, instead of the number of processes."""
        if self._sharded_group is not None:
            self._sharded_group.divides_by = factor

    set_reduce_scatter_divide_factor = set_gradient_divide_factor

    def _accepted(self, *args: Any, **kwargs: Any) -> None:
        """A setting of when things are fetched: results do not depend on it."""

    set_reshard_after_backward = set_is_last_backward = _accepted
    set_modules_to_forward_prefetch = set_modules_to_backward_prefetch = _accepted
    set_unshard_in_backward = set_post_optim_event = reset_iter_state = _accepted


def fully_shard(
    module: Any, *, mesh: DeviceMesh | None = None, reshard_after_forward: bool | int | None = None,
    shard_placement_fn: Any = None, mp_policy: Any = None, offload_policy: Any = None,
    ignored_params: set[Any] | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Cut the parameters of a module between processes; children first, then what is left.

    Each process keeps some rows, as `DTensor`s. With a mesh of two dimensions those along the
    first have copies. The optimizer must be made afterwards, from the parameters there are then.
    """
    if shard_placement_fn is not None:
        raise NotImplementedError("fully_shard: shard_placement_fn; parameters are cut by rows.")
    if isinstance(module, list | tuple):
        raise NotImplementedError("fully_shard of a list of modules. Fix: one call for each.")
    cut = _cut(mesh)
    owners = _free_parameters(module, ignored_params or set())
    kind = type(module)
    module.__class__ = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {})
    object.__setattr__(module, "_sharded_group", None)
    if not owners:
        return module
    made = ShardedGroup(owners, cut, _dtypes(mp_policy))
    made.keeps = reshard_after_forward is False
    object.__setattr__(module, "_sharded_group", made)
    register_fsdp_forward_method(module, "forward")
    return module


def register_fsdp_forward_method(module: Any, method_name: str) -> None:
    """Let another method of a sharded module see whole parameters, as `forward` does."""
    made = getattr(module, "_sharded_group", None)
    if made is None:
        return
    plain = getattr(module, method_name)

    def forward(*args: Any, **kwargs: Any) -> Any:
        made.unshard()
        if made.dtypes.param is not None and made.dtypes.cast_inputs:
            args, kwargs = _cast((args, kwargs), made.dtypes.param)
        try:
            with torch.autograd.graph.saved_tensors_hooks(made.pack, made.unpack):
                out = plain(*args, **kwargs)
        finally:
            made.reshard()
        return made.watch(out if made.dtypes.output is None else _cast(out, made.dtypes.output))

    object.__setattr__(module, method_name, forward)


def _cast(values: Any, dtype: Any) -> Any:
    def one(value: Any) -> Any:
        floats = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.to(dtype) if floats else value

    return tree_map(one, values)


def _dtypes(policy: Any) -> Dtypes:
    if policy is None:
        return Dtypes()
    return Dtypes(
        policy.param_dtype, policy.reduce_dtype, policy.output_dtype, policy.cast_forward_inputs
    )


def _cut(mesh: DeviceMesh | None) -> Cut:
    mesh = DeviceMesh("cpu") if mesh is None else mesh
    if mesh.ndim == 1:
        return Cut(mesh, mesh.get_group(), None)
    if mesh.ndim == 2:
        return Cut(mesh, mesh.get_group(1), mesh.get_group(0))
    raise refusal.value(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")


def _free_parameters(module: Module, ignored: set[Any]) -> list[Owners]:
    """Parameters that no sharded module has yet, each with all who have it."""
    found: dict[int, Owners] = {}
    ours = {id(g) for m in module.modules() if (g := m.__dict__.get("_sharded_group"))}
    taken = {
        id(one.sharded)
        for m in module.modules()
        if id(g := m.__dict__.get("_sharded_group")) in ours
        for one in g.pieces  # type: ignore[union-attr]
    }
    for owner in module.modules():
        for name, p in owner._parameters.items():
            if p is None or any(p is other for other in ignored) or id(p) in taken:
                continue
            if "_was_sharded" in p.__dict__:
                raise refusal.value(
                    f"fully_shard: {name} of {type(owner).__name__} is shared with a module that "
                    "was sharded before, and each would gather its own.",
                    fix="shard both together, in a module that has both.",
                )
            found.setdefault(id(p), []).append((owner, name))
    for owners in found.values():
        getattr(*owners[0]).__dict__["_was_sharded"] = True
    return list(found.values())


__all__ = [
    "CPUOffloadPolicy", "FSDPModule", "MixedPrecisionPolicy", "OffloadPolicy", "UnshardHandle",
    "fully_shard", "register_fsdp_forward_method",
]  # fmt: skip
