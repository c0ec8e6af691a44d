"""Tensors of which each process has a part: `torch.distributed.tensor`."""

from __future__ import annotations

from ...standins import add_to as _add_stand_ins
from ..device_mesh import DeviceMesh, init_device_mesh
from ..placement_types import Partial, Placement, Replicate, Shard
from .dtensor import DTensor
from .making import (
    distribute_module,
    distribute_tensor,
    empty,
    full,
    ones,
    rand,
    randn,
    zeros,
)

_MESHES = (DeviceMesh, init_device_mesh)  # names that programs import from here too

__all__ = [
    "DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module",
    "distribute_tensor", "empty", "full", "ones", "rand", "randn", "zeros",
]  # fmt: skip

_add_stand_ins(globals())
