"""Answers about groups, and groups of neighbours."""

from __future__ import annotations

import datetime
import os
from typing import Any

from ..autograd.accidents import explain_module
from .group import get_rank, get_world_size, groups
from .starting import new_group

default_pg_timeout = default_pg_nccl_timeout = datetime.timedelta(minutes=30)


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's number on its machine: LOCAL_RANK, or the fallback."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work, assuming you are not running in a multi-device context "
        "and want the code to run locally instead."
    )


def get_pg_count() -> int:
    """The number of groups that this process is in."""
    return len(groups())


def supports_complex(reduceOp: Any) -> bool:
    """Whether complex numbers can be combined in a way: where it needs no order."""
    return reduceOp.name not in ("MAX", "MIN", "PRODUCT", "BAND", "BOR", "BXOR")


def get_default_backend_for_device(device: Any) -> str:
    """The backend for tensors of a device: the name of PyTorch's for the CPU, which means MPI."""
    return "gloo"


def new_subgroups(
    group_size: int | None = None,
    group: Any = None,
    timeout: Any = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of so many neighbours: this process's own, and all of them."""
    size = get_world_size()
    wanted = int(os.environ.get("LOCAL_WORLD_SIZE", size)) if group_size is None else group_size
    if wanted <= 0:
        raise ValueError(f"The arg 'group_size' ({wanted}) must be positive")
    if wanted > size:
        raise ValueError(f"The arg 'group_size' ({wanted}) must not exceed the world size ({size})")
    if size % wanted:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={wanted}'")
    ranks = [list(range(start, start + wanted)) for start in range(0, size, wanted)]
    return new_subgroups_by_enumeration(ranks, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]],
    timeout: Any = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of these ranks: this process's own (None if it is in none), and all of them."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    flat = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    if len(set(flat)) != len(flat):
        raise ValueError(f"Rank appears in more than one subgroup: {ranks_per_subgroup_list}")
    mine, every = None, []
    for ranks in ranks_per_subgroup_list:
        made = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        every.append(made)
        if get_rank() in ranks:
            mine = made
    return mine, every


explain_module(globals())
