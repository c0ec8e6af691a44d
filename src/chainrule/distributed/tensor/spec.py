"""Where the parts of a tensor lie: a mesh, a placement for each of its dimensions, the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...autograd import refusal
from ..placement_types import Partial, Placement, Replicate, Shard, _StridedShard

Placements = tuple[Placement, ...]


@dataclass(frozen=True)
class Spec:
    """The layout of one tensor."""

    mesh: Any
    placements: Placements
    shape: tuple[int, ...]

    def box(self, coordinate: Sequence[int] | None = None) -> tuple[list[int], list[int]]:
        """Where a process's part begins, and its lengths; this process's without an argument."""
        place = self.mesh.get_coordinate() if coordinate is None else coordinate
        starts, lengths = [0] * len(self.shape), list(self.shape)
        if place is None:  # outside of the mesh
            return starts, [0] * len(lengths)
        for m in cut_order(self.placements):
            dim = self.placements[m].dim  # type: ignore[attr-defined]
            first, end = piece(lengths[dim], self.mesh.size(m), place[m])
            starts[dim] += first
            lengths[dim] = end - first
        return starts, lengths

    def is_first_holder(self) -> bool:
        """Whether this process is the first of those that have the same part."""
        place = self.mesh.get_coordinate()
        if place is None:
            return False
        return not any(place[m] for m, p in enumerate(self.placements) if not isinstance(p, Shard))


def piece(length: int, pieces: int, number: int) -> tuple[int, int]:
    """The bounds of one piece, cut as `torch.chunk` cuts: the last may be shorter, or empty."""
    full = -(-length // pieces)
    return min(number * full, length), min((number + 1) * full, length)


def cut_order(placements: Sequence[Placement]) -> list[int]:
    """The dimensions of the mesh that cut, in their order: strided ones cut what others left."""
    plain = [m for m, p in enumerate(placements) if isinstance(p, Shard) and not _late(p)]
    return plain + [m for m, p in enumerate(placements) if _late(p)]


def _late(placement: Placement) -> bool:
    return isinstance(placement, _StridedShard)


def checked(placements: Any, mesh: Any, ndim: int) -> Placements:
    """Placements as a tuple, one for each dimension of the mesh, dimensions counted from 0."""
    given = (placements,) if isinstance(placements, Placement) else placements
    found = tuple(Replicate() for _ in range(mesh.ndim)) if given is None else tuple(given)
    if len(found) != mesh.ndim:
        raise refusal.value(
            f"`placements` must have the same length as `device_mesh.ndim`! Found placements "
            f"length: {len(found)}, and device_mesh.ndim: {mesh.ndim}."
        )
    return tuple(_counted(p, ndim) for p in found)


def _counted(placement: Any, ndim: int) -> Placement:
    if not isinstance(placement, Placement):
        raise refusal.wrong_type(f"a placement is Shard, Replicate or Partial, not {placement!r}")
    if not isinstance(placement, Shard):
        return placement
    dim = placement.dim + ndim if placement.dim < 0 else placement.dim
    if not 0 <= dim < ndim:
        raise refusal.value(
            f"Sharding dim {placement.dim} greater than or equal to tensor ndim {ndim}"
        )
    if isinstance(placement, _StridedShard):
        return _StridedShard(dim, placement.split_factor)
    return Shard(dim)


def of_gradient(placements: Placements) -> Placements:
    """How a gradient lies that fits a tensor: that of a term of a sum is that of the sum."""
    return tuple(Replicate() if isinstance(p, Partial) else p for p in placements)


def whole_shape(local: Sequence[int], mesh: Any, placements: Placements) -> tuple[int, ...]:
    """The shape of a tensor all of whose parts are as large as this one."""
    shape = list(local)
    for m, p in enumerate(placements):
        if isinstance(p, Shard):
            shape[p.dim] *= mesh.size(m)
    return tuple(shape)


def elements(shape: Sequence[int]) -> int:
    """How many elements a shape has."""
    return math.prod(shape)
