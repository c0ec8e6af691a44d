"""Modules laid out in a mesh, and new tensors of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import chainrule as torch

from ..device_mesh import DeviceMesh
from ..placement_types import Replicate
from .dtensor import DTensor, distribute_tensor
from .spec import Spec, checked


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
