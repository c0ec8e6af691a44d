"""Answers about a group of one process, and switches of debugging."""

from __future__ import annotations

import datetime
import enum
import os
from typing import Any

from .group import ProcessGroup, get_rank, is_initialized, new_group

default_pg_timeout = default_pg_nccl_timeout = datetime.timedelta(minutes=30)


class DebugLevel(enum.IntEnum):
    """How much collectives check and report."""

    OFF = 0
    INFO = 1
    DETAIL = 2


_level = [DebugLevel.OFF]


def get_debug_level() -> DebugLevel:
    """How much collectives check: set by a program; nothing depends on it here."""
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
    """The number of groups: one, once it is made."""
    return int(is_initialized())


def supports_complex(reduceOp: Any) -> bool:
    """Whether complex numbers can be combined in a way: where it needs no order."""
    return reduceOp.name not in ("MAX", "MIN", "PRODUCT", "BAND", "BOR", "BXOR")


def get_default_backend_for_device(device: Any) -> str:
    """The backend for tensors of a device: gloo for the CPU, which is the only one."""
    return "gloo"


def new_subgroups(
    group_size: int | None = None,
    group: Any = None,
    timeout: Any = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup, list[ProcessGroup]]:
    """The groups of so many processes: with one process there is one group."""
    if group_size not in (None, 1):
        raise ValueError(f"the arg 'group_size' ({group_size}) must not exceed the world size (1)")
    made = new_group([get_rank()])
    return made, [made]
