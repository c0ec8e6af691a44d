"""Tensors and modules laid out in a mesh."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import chainrule as torch

from ...autograd import refusal
from ..collectives import broadcast
from ..device_mesh import DeviceMesh
from ..placement_types import Partial, Replicate
from .dtensor import DTensor
from .redistribution import redistributed
from .spec import Spec, checked


def distribute_tensor(
    tensor: Any, device_mesh: Any = None, placements: Any = None, *,
    src_data_rank: int | None = 0,
) -> Any:  # fmt: skip
    """A tensor laid out in a mesh: the values of the mesh's first process, cut or copied."""
    mesh = device_mesh if device_mesh is not None else DeviceMesh("cpu")
    wanted = checked(placements, mesh, tensor.ndim)
    if any(isinstance(p, Partial) for p in wanted):
        raise refusal.value(f"distribute_tensor: a tensor is not cut into terms of a sum: {wanted}")
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError("Cannot distribute a DTensor to a different device mesh")
        if tensor.placements != wanted:
            raise refusal.value(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different "
                f"placements {wanted}. do you want to call `redistribute` instead?"
            )
        return tensor
    if not tensor.is_leaf:
        raise refusal.runtime("`distribute_tensor` should be used to distribute leaf tensors!")
    local = tensor.detach()
    if not local.is_meta and src_data_rank is not None:
        local = local.contiguous().clone()
        for m in range(mesh.ndim):
            broadcast(local, group=mesh.get_group(m), group_src=src_data_rank)
    spec = Spec(mesh, tuple(Replicate() for _ in wanted), tuple(tensor.shape))
    local = local.narrow_copy(0, 0, 0) if mesh.get_coordinate() is None and local.ndim else local
    made = DTensor(_own(local, spec, wanted), Spec(mesh, wanted, spec.shape))
    made.requires_grad_(tensor.requires_grad)
    return torch.nn.Parameter(made, made.requires_grad) if _is_parameter(tensor) else made


def _own(local: Any, spec: Spec, wanted: Any) -> Any:
    """This process's part of values that all have, in memory of its own."""
    own = redistributed(local, spec, wanted)
    return own.clone() if not own.is_meta and own.numel() < local.numel() else own


def _is_parameter(tensor: Any) -> bool:
    return isinstance(tensor, torch.nn.Parameter)


def distribute_module(
    module: Any, device_mesh: Any = None, partition_fn: Callable[..., None] | None = None,
    input_fn: Callable[..., Any] | None = None, output_fn: Callable[..., Any] | None = None,
) -> Any:  # fmt: skip
    """Lay out a module's parameters; those that `partition_fn` leaves are copied everywhere."""
    mesh = device_mesh if device_mesh is not None else DeviceMesh("cpu")
    for name, inner in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, inner, mesh)
        _copy_everywhere(inner, mesh)
    if input_fn is not None:
        module.register_forward_pre_hook(
            lambda called, inputs, kwargs: (input_fn(called, inputs, mesh), kwargs),
            with_kwargs=True,
        )
    if output_fn is not None:
        module.register_forward_hook(lambda called, _, outputs: output_fn(called, outputs, mesh))
    return module


def _copy_everywhere(module: Any, mesh: Any) -> None:
    every = [Replicate()] * mesh.ndim
    for name, p in module._parameters.items():
        if p is not None and not isinstance(p, DTensor):
            module.register_parameter(name, torch.nn.Parameter(
                distribute_tensor(p.detach(), mesh, every), p.requires_grad
            ))  # fmt: skip
    for name, buffer in module._buffers.items():
        if buffer is not None and not isinstance(buffer, DTensor):
            module._buffers[name] = distribute_tensor(buffer, mesh, every)


# ---- new tensors ---------------------------------------------------------------------------------


def _made(
    make: Callable[..., Any], size: Sequence[Any], options: dict[str, Any], whole: bool = False
) -> Any:
    shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    mesh = options.pop("device_mesh", None)
    mesh = mesh if mesh is not None else DeviceMesh("cpu")
    placements = checked(options.pop("placements", None), mesh, len(shape))
    wants_grad = bool(options.pop("requires_grad", False))
    options.pop("layout", None)
    spec = Spec(mesh, placements, tuple(shape))
    if whole:  # random numbers: those that one process would have
        made = distribute_tensor(make(tuple(shape), **options), mesh, placements)
    else:
        made = DTensor(make(tuple(spec.box()[1]), **options), spec)
    return made.requires_grad_(wants_grad)


def zeros(*size: Any, **options: Any) -> Any:
    """Zeros, laid out by `device_mesh=` and `placements=`."""
    return _made(torch.zeros, size, options)


def ones(*size: Any, **options: Any) -> Any:
    """Ones, laid out by `device_mesh=` and `placements=`."""
    return _made(torch.ones, size, options)


def empty(*size: Any, **options: Any) -> Any:
    """Any values, laid out by `device_mesh=` and `placements=`."""
    return _made(torch.empty, size, options)


def full(size: Any, fill_value: Any, **options: Any) -> Any:
    """One value everywhere, laid out by `device_mesh=` and `placements=`."""
    return _made(lambda shape, **rest: torch.full(shape, fill_value, **rest), (size,), options)


def rand(*size: Any, **options: Any) -> Any:
    """Uniform random numbers of the first process, laid out."""
    return _made(torch.rand, size, options, whole=True)


def randn(*size: Any, **options: Any) -> Any:
    """Normal random numbers of the first process, laid out."""
    return _made(torch.randn, size, options, whole=True)


__all__ = ["distribute_module", "distribute_tensor", "empty", "full", "ones", "rand", "randn",
           "zeros"]  # fmt: skip
