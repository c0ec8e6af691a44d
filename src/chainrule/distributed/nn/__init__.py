"""Collectives that gradients flow through, and modules elsewhere, which are refused."""

from __future__ import annotations

from ...standins import add_to as _add_stand_ins
from .functional import (
    Function,
    ReduceOp,
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    group,
    reduce,
    reduce_scatter,
    scatter,
)

__all__ = [
    "Function", "ReduceOp", "all_gather", "all_reduce", "all_to_all", "all_to_all_single",
    "broadcast", "gather", "group", "reduce", "reduce_scatter", "scatter",
]  # fmt: skip

_add_stand_ins(globals())
