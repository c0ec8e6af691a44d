"""Answers about groups, and switches of debugging."""

from __future__ import annotations

import datetime
import enum
import os
from typing import Any

from .group import get_rank, get_world_size, groups, new_group

default_pg_timeout = default_pg_nccl_timeout = datetime.timedelta(minutes=30)


class DebugLevel(enum.IntEnum):
    """How much collectives check and report."""

    OFF = 0
    INFO = 1
    DETAIL = 2


_level = [DebugLevel.OFF]


def get_debug_level() -> DebugLevel:
    """How much collectives check: with DETAIL ranks compare their calls before each."""
    return _level[0]


def set_debug_level(level: DebugLevel) -> None:
    """Set how much collectives check."""
    _level[0] = DebugLevel(level)


def set_debug_level_from_env() -> None:
    """As the variable TORCH_DISTRIBUTED_DEBUG says."""
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if name not in DebugLevel.__members__:
        raise RuntimeError(
            "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL, not " + repr(name)
        )
    set_debug_level(DebugLevel[name])


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
