"""From one layout to another: the part of this process, by collectives on plain tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chainrule as torch

from ...autograd import refusal
from ..collectives import all_gather_into_tensor, all_reduce, reduce_scatter_tensor
from ..placement_types import Partial, Placement, Replicate, Shard
from ..reduction import ReduceOp
from .spec import Placements, Spec, cut_order, piece

_OPS = {
    "sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "max": ReduceOp.MAX, "min": ReduceOp.MIN,
    "product": ReduceOp.PRODUCT,
}  # fmt: skip


def redistributed(local: Any, spec: Spec, wanted: Placements) -> Any:
    """This process's part under other placements; the same tensor where nothing changes."""
    have: list[Placement] = list(spec.placements)
    if spec.mesh.get_coordinate() is None or tuple(have) == wanted:
        return local
    _check(have, wanted)
    touched = _touched(have, wanted)
    for m in reversed(cut_order(have)):
        cut: Any = have[m]
        if cut != wanted[m] or cut.dim in touched:
            length = _length_before(spec, have, m)
            local = gathered(local, cut.dim, length, spec.mesh.get_group(m))
            have[m] = Replicate()
    for m, found in enumerate(have):
        if isinstance(found, Partial) and found != wanted[m]:
            local, have[m] = _summed(local, found, m, wanted, spec)
    for m in cut_order(wanted):
        cut = wanted[m]
        if isinstance(have[m], Replicate):
            first, end = piece(local.shape[cut.dim], spec.mesh.size(m), spec.mesh.get_local_rank(m))
            local = local.narrow(cut.dim, first, end - first)
    return local.contiguous()


def _check(have: Sequence[Placement], wanted: Placements) -> None:
    for old, new in zip(have, wanted, strict=True):
        if isinstance(new, Partial) and old != new:
            raise refusal.runtime(
                f"redistribute from {old!r} to {new!r} is not supported: a tensor is not cut into "
                "terms of a sum"
            )


def _touched(have: Sequence[Placement], wanted: Placements) -> set[int]:
    """Dimensions of the tensor whose cuts change; further cuts along them are made anew."""
    return {
        p.dim
        for pair in zip(have, wanted, strict=True)
        if pair[0] != pair[1]
        for p in pair
        if isinstance(p, Shard)
    }


def _length_before(spec: Spec, have: Sequence[Placement], m: int) -> int:
    """The length of the dimension that mesh dimension m has cut, before it did."""
    dim = have[m].dim  # type: ignore[attr-defined]
    length, place = spec.shape[dim], spec.mesh.get_coordinate()
    for other in cut_order(have):
        if other == m:
            break
        if have[other].dim == dim:  # type: ignore[attr-defined]
            first, end = piece(length, spec.mesh.size(other), place[other])
            length = end - first
    return length


def gathered(local: Any, dim: int, length: int, group: Any) -> Any:
    """The parts of all processes side by side."""
    full = -(-length // group.size())
    rows = _filled(local.movedim(dim, 0), full)
    out = torch.empty((full * group.size(), *rows.shape[1:]), dtype=local.dtype)
    all_gather_into_tensor(out, rows, group)
    return out.narrow(0, 0, length).movedim(0, dim).contiguous()


def _filled(rows: Any, length: int) -> Any:
    """Rows in one piece, zeros behind them up to a length."""
    if rows.shape[0] == length:
        return rows.contiguous()
    out = torch.zeros((length, *rows.shape[1:]), dtype=rows.dtype)
    out.narrow(0, 0, rows.shape[0]).copy_(rows)
    return out


def _summed(
    local: Any, term: Partial, m: int, wanted: Placements, spec: Spec
) -> tuple[Any, Placement]:
    """The terms combined: each process has all, or its own part where that is wanted."""
    group, target = spec.mesh.get_group(m), wanted[m]
    op = _OPS[term.reduce_op]
    alone = isinstance(target, Shard) and sum(
        isinstance(p, Shard) and p.dim == target.dim for p in (*wanted, *spec.placements)
    ) == 1  # fmt: skip
    if not alone:
        out = local.contiguous().clone()
        all_reduce(out, op, group)
        return out, Replicate()
    dim = target.dim  # type: ignore[attr-defined]
    length = local.shape[dim]
    full = -(-length // group.size())
    rows = _filled(local.movedim(dim, 0), full * group.size())
    out = torch.empty((full, *rows.shape[1:]), dtype=local.dtype)
    reduce_scatter_tensor(out, rows, op, group)
    first, end = piece(length, group.size(), group.rank())
    return out.narrow(0, 0, end - first).movedim(0, dim), target
