"""Meshes of devices, of which there is one: the CPU of this process."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from ..standins.kinds import PROCESSES, refuse
from .group import group as world
from .group import init_process_group


class DeviceMesh:
    """Processes laid out in dimensions with names; here each dimension has length 1.

    >>> import chainrule as torch
    >>> mesh = DeviceMesh("cpu", [[0]], mesh_dim_names=("data", "model"))
    >>> mesh.size(), mesh["data"].ndim, mesh.get_coordinate()
    (1, 1, [0, 0])
    """

    def __init__(
        self,
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: tuple[str, ...] | None = None,
        **options: Any,
    ) -> None:
        ranks = torch.as_tensor([0] if mesh is None else mesh, dtype=torch.int)
        if ranks.numel() != 1:
            refuse(f"torch.distributed.DeviceMesh of {ranks.numel()} processes", PROCESSES)
        if mesh_dim_names is not None and len(mesh_dim_names) != ranks.ndim:
            raise RuntimeError(
                f"mesh_dim_names {mesh_dim_names} must name each of the {ranks.ndim} dimensions"
            )
        self.device_type = str(torch.device(device_type).type)
        self.mesh = ranks
        self.mesh_dim_names = mesh_dim_names

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.mesh.ndim

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each dimension."""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """The number of processes, in all or along one dimension."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.shape[mesh_dim]

    def get_rank(self) -> int:
        """This process's number."""
        return 0

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """This process's place along a dimension."""
        return 0

    def get_coordinate(self) -> list[int]:
        """This process's place in the mesh."""
        return [0] * self.ndim

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """The group of a dimension, which is the default group."""
        if world.WORLD is None:
            init_process_group("gloo", rank=0, world_size=1)
        return world.WORLD

    def get_all_groups(self) -> list[Any]:
        """The groups of all dimensions."""
        return [self.get_group()] * self.ndim

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        wanted = (names,) if isinstance(names, str) else tuple(names)
        known = self.mesh_dim_names or ()
        if unknown := [name for name in wanted if name not in known]:
            raise KeyError(f"Invalid mesh_dim_name {unknown[0]!r} specified; there are {known}")
        return DeviceMesh(
            self.device_type, self.mesh.reshape((1,) * len(wanted)), mesh_dim_names=wanted
        )

    def _flatten(self, mesh_dim_name: str | None = None) -> DeviceMesh:
        names = None if mesh_dim_name is None else (mesh_dim_name,)
        return DeviceMesh(self.device_type, [0], mesh_dim_names=names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return self.device_type, self.shape, self.mesh_dim_names

    def __repr__(self) -> str:
        if self.mesh_dim_names:
            pairs = zip(self.mesh_dim_names, self.shape, strict=True)
            shown = ", ".join(f"{name}={length}" for name, length in pairs)
        else:
            shown = ", ".join(map(str, self.shape))
        return f"DeviceMesh(({shown}), {self.device_type!r}, stride={(1,) * self.ndim})"


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    *,
    mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """A mesh of this shape; of one process, more are refused."""
    if mesh_dim_names is not None and len(mesh_dim_names) != len(mesh_shape):
        raise RuntimeError(
            "mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
            f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
        )
    if math.prod(mesh_shape) != 1:
        refuse(f"torch.distributed.init_device_mesh of shape {tuple(mesh_shape)}", PROCESSES)
    mesh = DeviceMesh(
        device_type, torch.zeros(tuple(mesh_shape), dtype=torch.int), mesh_dim_names=mesh_dim_names
    )
    mesh.get_group()
    return mesh


__all__ = ["DeviceMesh", "init_device_mesh"]
