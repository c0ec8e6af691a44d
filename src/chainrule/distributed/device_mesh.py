"""Meshes: processes laid out in dimensions, each line of them with a group of its own."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module
from .group import get_rank, get_world_size, is_initialized
from .group import group as world
from .launched import place
from .starting import init_process_group, new_group


class DeviceMesh:
    """Processes laid out in dimensions with names.

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
        self.device_type = str(torch.device(device_type).type)
        if mesh is None:
            mesh = list(range(get_world_size() if is_initialized() else 1))
        self.mesh = torch.as_tensor(mesh, dtype=torch.int)
        if mesh_dim_names is not None and len(mesh_dim_names) != self.mesh.ndim:
            raise RuntimeError(
                f"mesh_dim_names {mesh_dim_names} must name each of the {self.mesh.ndim} dimensions"
            )
        self.mesh_dim_names = mesh_dim_names
        self._root: Any = options.pop("_root", None) or self  # the mesh that this is a part of
        self._places: dict[int, list[int] | None] = {}
        self._groups: list[Any] = options.pop("_groups", [])
        if not self._groups and self.mesh.numel() > 1:
            _ensure_group(self.mesh.numel())
            self._groups = [self._group_along(k) for k in range(self.ndim)]

    def _group_along(self, dim: int) -> Any:
        """The group of this process's line along a dimension; every process makes all of them."""
        rows = self.mesh.movedim(dim, -1).reshape(-1, self.mesh.shape[dim]).tolist()
        mine = world.NON_GROUP_MEMBER
        for ranks in rows:
            whole = len(ranks) == get_world_size() and ranks == sorted(ranks)
            made = world.WORLD if whole else new_group(ranks)
            mine = made if get_rank() in ranks else mine
        return mine

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
        return get_rank() if is_initialized() else 0

    def _dim(self, mesh_dim: int | str | None) -> int:
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self.mesh_dim_names or ()):
                raise KeyError(
                    f"Invalid mesh_dim_name {mesh_dim!r} specified; there are {self.mesh_dim_names}"
                )
            return (self.mesh_dim_names or ()).index(mesh_dim)
        if mesh_dim is None and self.ndim > 1:
            raise refusal.runtime(
                f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` "
                "needs to be specified when device_mesh.ndim > 1."
            )
        return mesh_dim or 0

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """This process's place along a dimension."""
        place_here = self.get_coordinate()
        if place_here is None:
            raise RuntimeError(f"rank {self.get_rank()} is not part of {self!r}")
        return place_here[self._dim(mesh_dim)]

    def get_coordinate(self) -> list[int] | None:
        """This process's place in the mesh; None outside."""
        rank = self.get_rank()
        if rank not in self._places:  # asked for by every op of a tensor of the mesh
            found = (self.mesh == rank).nonzero().tolist()
            self._places[rank] = found[0] if found else None
        return self._places[rank]

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """The group of this process's line along a dimension."""
        dim = self._dim(mesh_dim)
        if self._groups:
            return self._groups[dim]
        _ensure_group(1)
        return world.WORLD

    def get_all_groups(self) -> list[Any]:
        """The groups of all dimensions."""
        return [self.get_group(dim) for dim in range(self.ndim)]

    def __getitem__(self, names: str | tuple[str, ...]) -> DeviceMesh:
        wanted = (names,) if isinstance(names, str) else tuple(names)
        dims = [self._dim(name) for name in wanted]
        here = self.get_coordinate() or [0] * self.ndim
        others = [d for d in range(self.ndim) if d not in dims]
        ordered = self.mesh.permute(*others, *dims)
        part = ordered[tuple(here[d] for d in others)]
        groups = [self._groups[d] for d in dims] if self._groups else []
        return DeviceMesh(
            self.device_type, part, mesh_dim_names=wanted, _groups=groups, _root=self._root
        )

    def _flatten(self, mesh_dim_name: str | None = None) -> DeviceMesh:
        names = None if mesh_dim_name is None else (mesh_dim_name,)
        return DeviceMesh(self.device_type, self.mesh.reshape(-1), mesh_dim_names=names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        return (
            self.device_type,
            self.shape,
            tuple(self.mesh.flatten().tolist()),
            (self.mesh_dim_names),
        )

    def __repr__(self) -> str:
        if self.mesh_dim_names:
            pairs = zip(self.mesh_dim_names, self.shape, strict=True)
            shown = ", ".join(f"{name}={length}" for name, length in pairs)
        else:
            shown = ", ".join(map(str, self.shape)) + ("," if self.ndim == 1 else "")
        stride = tuple(math.prod(self.shape[k + 1 :]) for k in range(self.ndim))
        return f"DeviceMesh(({shown}), {self.device_type!r}, stride={stride})"


def _ensure_group(size: int) -> None:
    """The default group, made if there is none: of the MPI job, or of the only process."""
    found = place()
    there = get_world_size() if is_initialized() else 1 if found is None else found.size
    if size > there:
        raise refusal.runtime(
            f"Mesh should not be bigger than default world size {there}, but found {size} ranks!",
            fix=f"start {size} processes, chainrule launch -n {size} script.py.",
        )
    if not is_initialized():
        alone = {"rank": 0, "world_size": 1} if there == 1 else {}
        init_process_group("gloo", **alone)  # pyright: ignore[reportArgumentType]


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    *,
    mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """A mesh of this shape over the first processes; makes the default group if there is none."""
    if mesh_dim_names is not None and len(mesh_dim_names) != len(mesh_shape):
        raise RuntimeError(
            "mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
            f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
        )
    _ensure_group(math.prod(mesh_shape))
    ranks = torch.arange(math.prod(mesh_shape), dtype=torch.int).reshape(*mesh_shape)
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)


explain_module(globals())

__all__ = ["DeviceMesh", "init_device_mesh"]
