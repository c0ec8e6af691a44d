"""Tensors of which each process has a part: `torch.distributed.tensor`."""

from __future__ import annotations

from ...standins import add_to as _add_stand_ins
from ..device_mesh import DeviceMesh, init_device_mesh
from ..placement_types import Partial, Placement, Replicate, Shard
from .dispatching import OPERATORS as _OPERATORS  # noqa: F401 - what DTensors compute with
from .dtensor import DTensor, distribute_tensor
from .making import (
    distribute_module,
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
