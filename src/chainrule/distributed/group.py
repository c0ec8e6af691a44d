"""The process group: who takes part. Here that is one process."""

from __future__ import annotations

import enum
import os
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from ..autograd import source

_NOT_READY = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)


class RedOpType(enum.IntEnum):
    """How values of several processes are combined."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


ReduceOp: Any = RedOpType
ReduceOp.RedOpType = RedOpType  # under both names in PyTorch


class Backend(str):
    """The name of a way to communicate, in lower case."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    MPI = "mpi"
    UCC = "ucc"
    default_device_backend_map = {"cpu": "gloo"}  # noqa: RUF012

    def __new__(cls, name: str) -> Backend:
        return super().__new__(cls, name.lower())


class Work:
    """A collective that has been started; with one process it is done at once."""

    def wait(self, timeout: Any = None) -> bool:
        """Wait until it is done."""
        return True

    def is_completed(self) -> bool:
        """Whether it is done."""
        return True

    def is_success(self) -> bool:
        """Whether it went well."""
        return True


class ProcessGroup:
    """A group of one process."""

    def __init__(self, backend: str) -> None:
        self.backend = Backend(backend)

    def rank(self) -> int:
        """This process's number in the group."""
        return 0

    def size(self) -> int:
        """The number of processes."""
        return 1

    def name(self) -> str:
        """The backend's name."""
        return str(self.backend)


class _World:
    """The default group, once made."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100  # what `new_group` gives to those outside


group = GroupMember = _World


def is_available() -> bool:
    """Whether the package can be used: yes, by one process."""
    return True


def is_initialized() -> bool:
    """Whether the default group has been made."""
    return _World.WORLD is not None


def is_gloo_available() -> bool:
    """Whether the backend's name is accepted: yes."""
    return True


def _not_built() -> bool:
    """Whether the backend can be used: no."""
    return False


is_nccl_available = is_mpi_available = is_ucc_available = is_xccl_available = _not_built


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be used."""
    return backend.lower() == "gloo"


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process."""
    return os.environ.get("TORCHELASTIC_RUN_ID") is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: Any = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make the default group; of one process, more are refused.

    The number of processes comes from the arguments, the address, or RANK and WORLD_SIZE.
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    name = (backend or "gloo").split(",")[0].rpartition(":")[2].lower()
    if name == "nccl":
        raise RuntimeError(
            "Distributed package doesn't have NCCL built in: NCCL connects GPUs and chainrule "
            f"computes on the CPU\n  at {source.here(2)}\n  Fix: init_process_group('gloo')."
        )
    _told(rank, "rank", "RANK", init_method, store)
    size = _told(world_size, "world_size", "WORLD_SIZE", init_method, store)
    if size != 1:
        raise RuntimeError(
            f"init_process_group: a group of {size} processes was asked for, chainrule has groups "
            f"of one\n  at {source.here(2)}\n"
            "  Fix: start the program once, without torchrun or with --nproc-per-node 1."
        )
    _World.WORLD = ProcessGroup(name)


def _told(given: int, key: str, variable: str, init_method: str | None, store: Any) -> int:
    """A number from the argument, else the address's query, else the environment."""
    if given >= 0:
        return int(given)
    found = parse_qs(urlparse(init_method or "").query).get(key)
    if found:
        return int(found[0])
    if store is not None or (init_method is not None and not init_method.startswith("env://")):
        raise ValueError(f"Error initializing torch.distributed: {key} parameter missing")
    if variable not in os.environ:
        raise ValueError(
            "Error initializing torch.distributed using env:// rendezvous: environment variable "
            f"{variable} expected, but not set\n  at {source.here(3)}\n"
            "  Fix: start the program with torchrun's variables, or pass rank=0, world_size=1."
        )
    return int(os.environ[variable])


def destroy_process_group(group: Any = None) -> None:
    """Forget the group."""
    default = current(None, _destroying=True)
    if group is None or group is default:
        _World.WORLD = None


def current(group: Any, *, _destroying: bool = False) -> ProcessGroup:
    """The group meant by an argument: the default one for None; an error when there is none."""
    if _World.WORLD is None:
        if _destroying:
            raise AssertionError("Process group cannot be None")
        raise ValueError(f"{_NOT_READY}\n  at {source.here(3)}")
    return _World.WORLD if group is None else group


def get_rank(group: Any = None) -> int:
    """This process's number: 0."""
    return current(group).rank()


def get_world_size(group: Any = None) -> int:
    """The number of processes: 1."""
    return current(group).size()


def get_backend(group: Any = None) -> str:
    """The backend's name."""
    return str(current(group).backend)


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The numbers of the processes in the group."""
    return list(range(current(group).size()))


def get_global_rank(group: Any, group_rank: int) -> int:
    """A member's number among all processes."""
    return required_rank(group_rank)


def get_group_rank(group: Any, global_rank: int) -> int:
    """A process's number in the group."""
    return required_rank(global_rank)


def new_group(ranks: Sequence[int] | None = None, *args: Any, **kwargs: Any) -> ProcessGroup:
    """A group of some of the processes: of the only one."""
    default = current(None)
    for rank in ranks or ():
        required_rank(rank)
    return ProcessGroup(default.backend)


def required_rank(rank: int) -> int:
    """The number of a process that exists: 0."""
    if rank != 0:
        raise RuntimeError(
            f"invalid root rank: {rank}; the group has one process, number 0\n  at {source.here(3)}"
        )
    return rank


def _get_default_group() -> ProcessGroup:
    """The default group; an error when there is none."""
    return current(None)


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is outside a group."""
    return group == _World.NON_GROUP_MEMBER
