"""The process group: who takes part."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from typing import Any

from ..autograd import refusal
from ..autograd.accidents import explain_module
from . import mpi
from .reduction import RedOpType, ReduceOp
from .work import Work

_NOT_READY = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)
TIMEOUT = datetime.timedelta(minutes=30)


class Backend(str):
    """The name of a way to communicate, in lower case."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    MPI = "mpi"
    UCC = "ucc"
    backend_list = ["undefined", "gloo", "nccl", "ucc", "mpi"]  # noqa: RUF012
    default_device_backend_map = {"cpu": "gloo"}  # noqa: RUF012

    def __new__(cls, name: str) -> Backend:
        return super().__new__(cls, name.lower())


class ProcessGroup:
    """Processes that take part in collectives together."""

    unguarded = True  # for guards of compiled functions: who takes part does not change

    def __init__(
        self, backend: str, transport: Any, ranks: Sequence[int], name: str,
        timeout: datetime.timedelta = TIMEOUT,
    ) -> None:  # fmt: skip
        self.backend = Backend(backend)
        self.transport = transport
        self.ranks = tuple(ranks)  # their numbers in the default group
        self.group_name = name
        self.group_desc = "undefined"
        self.timeout = timeout
        self.calls = 0  # collectives so far, which ranks compare

    def rank(self) -> int:
        """This process's number in the group."""
        return self.transport.rank

    def size(self) -> int:
        """The number of processes."""
        return self.transport.size

    def name(self) -> str:
        """The backend's name."""
        return str(self.backend)

    def job_ranks(self) -> list[int]:
        """The members' numbers in the MPI job."""
        world = World.WORLD
        order = world.job_order if world is not None and world.job_order else None
        return [order[r] for r in self.ranks] if order else list(self.ranks)

    def job_rank(self) -> int:
        """This process's number in the MPI job."""
        return self.job_ranks()[self.rank()]

    job_order: Sequence[int] | None = None

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name} of ranks {list(self.ranks)}>"


class World:
    """The default group, once made."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100  # what `new_group` gives to those outside


group = GroupMember = World
GROUPS: dict[str, ProcessGroup] = {}  # every group by its name


def is_available() -> bool:
    """Whether the package can be used: yes."""
    return True


def is_initialized() -> bool:
    """Whether the default group has been made."""
    return World.WORLD is not None


def is_mpi_available() -> bool:
    """Whether several processes can work together: where mpi4py is installed."""
    return mpi.is_installed()


def is_gloo_available() -> bool:
    """Whether the backend's name is accepted: yes, it means MPI."""
    return True


def _not_built() -> bool:
    """Whether the backend for GPUs can be used: no."""
    return False


is_nccl_available = is_ucc_available = is_xccl_available = _not_built


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be used."""
    return backend.lower() == "gloo" or (backend.lower() == "mpi" and is_mpi_available())


def is_torchelastic_launched() -> bool:
    """Whether torchrun, or `chainrule launch`, started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


# ---- questions about groups ----------------------------------------------------------------------


def current(group: Any) -> ProcessGroup:
    """The group meant by an argument: the default one for None; an error when there is none."""
    if World.WORLD is None:
        raise refusal.value(f"{_NOT_READY}")
    return World.WORLD if group is None else group


def get_rank(group: Any = None) -> int:
    """This process's number; -1 outside the group."""
    found = current(group)
    return -1 if _rank_not_in_group(found) else found.rank()


def get_world_size(group: Any = None) -> int:
    """The number of processes; -1 outside the group."""
    found = current(group)
    return -1 if _rank_not_in_group(found) else found.size()


def get_backend(group: Any = None) -> str:
    """The backend's name."""
    found = current(group)
    if _rank_not_in_group(found):
        raise ValueError("Invalid process group specified")
    return str(found.backend)


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The numbers of the processes in the group."""
    return list(current(group).ranks)


def get_global_rank(group: Any, group_rank: int) -> int:
    """A member's number among all processes."""
    found = current(group)
    if not 0 <= group_rank < found.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {found}")
    return found.ranks[group_rank]


_get_global_rank = get_global_rank  # its older name


def get_group_rank(group: Any, global_rank: int) -> int:
    """A process's number in the group."""
    found = current(group)
    if global_rank not in found.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {found}")
    return found.ranks.index(global_rank)


def groups() -> list[ProcessGroup]:
    """All groups that this process is in."""
    return list(GROUPS.values())


def _get_default_group() -> ProcessGroup:
    """The default group; an error when there is none."""
    return current(None)


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is outside a group."""
    return group is not None and not isinstance(group, ProcessGroup)


explain_module(globals())

__all__ = ["RedOpType", "ReduceOp", "Work"]
