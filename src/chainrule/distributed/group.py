"""The process group: who takes part."""

from __future__ import annotations

import datetime
import importlib
import os
import zlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from ..autograd import refusal, source
from . import launched, mpi
from .reduction import RedOpType, ReduceOp
from .transport import Mpi, Solo
from .work import Work

_NOT_READY = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)
_TIMEOUT = datetime.timedelta(minutes=30)
_MEANT = ("mpi", "gloo", "nccl", "ucc", "xccl", "undefined", "fake")


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
        timeout: datetime.timedelta = _TIMEOUT,
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
        world = _World.WORLD
        order = world.job_order if world is not None and world.job_order else None
        return [order[r] for r in self.ranks] if order else list(self.ranks)

    def job_rank(self) -> int:
        """This process's number in the MPI job."""
        return self.job_ranks()[self.rank()]

    job_order: Sequence[int] | None = None

    def __repr__(self) -> str:
        return f"<ProcessGroup {self.group_name} of ranks {list(self.ranks)}>"


class _World:
    """The default group, once made."""

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100  # what `new_group` gives to those outside


group = GroupMember = _World
_made: dict[str, ProcessGroup] = {}  # every group by its name
_asked: dict[tuple[int, ...], int] = {}  # how often a group of these ranks was asked for
_said: set[str] = set()


def is_available() -> bool:
    """Whether the package can be used: yes."""
    return True


def is_initialized() -> bool:
    """Whether the default group has been made."""
    return _World.WORLD is not None


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


# ---- making groups -------------------------------------------------------------------------------


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
    """Make the default group: of the processes that MPI started, or of the only one.

    All names of backends mean MPI. Rank and size come from the arguments, the address, or RANK and
    WORLD_SIZE, and must agree with the MPI job.
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    name = _backend_name(backend)
    found = launched.adopt()
    number = _told(rank, "rank", "RANK", init_method, store)
    size = _told(world_size, "world_size", "WORLD_SIZE", init_method, store)
    limit = _timeout(timeout)
    if found is None or found.size == 1:
        if size != 1:
            raise RuntimeError(_not_launched(size))
        _World.WORLD = ProcessGroup(name, Solo(), [0], "0", limit)
    else:
        _World.WORLD = _world_of_job(name, number, size, limit)
    _made["0"] = _World.WORLD
    importlib.import_module(".settings", __package__).set_debug_level_from_env()


def _timeout(given: Any) -> datetime.timedelta:
    if given is None:
        return _TIMEOUT
    if not isinstance(given, datetime.timedelta):
        raise TypeError(
            f"Expected timeout argument to be of type datetime.timedelta, got {given!r}"
        )
    return given


def _backend_name(backend: str | None) -> str:
    name = (backend or "mpi").split(",")[0].rpartition(":")[2].lower()
    if name not in _MEANT:
        raise refusal.value(
            f"Unknown backend name {name!r}: chainrule knows {', '.join(_MEANT[:3])}, which all "
            "mean MPI"
        )
    found = launched.place()
    first = found is not None and found.size > 1 and found.rank == 0
    if first and name == "nccl" and "backend" not in _said:
        _said.add("backend")
        source.warn_user("backend 'nccl' means MPI here: chainrule computes on the CPU")
    return name


def _world_of_job(name: str, rank: int, size: int, limit: datetime.timedelta) -> ProcessGroup:
    library = mpi.library()
    from . import faults

    faults.watch()
    _share_cores()
    world = library.COMM_WORLD
    if size != world.size:
        raise refusal.runtime(
            f"init_process_group: world_size is {size}, but MPI started {world.size} processes",
            fix="leave world_size and rank out, they come from MPI.",
        )
    faults.meet(limit.total_seconds())
    communicator = world.Split(0, rank)
    order = communicator.allgather((rank, world.rank))
    if [r for r, _ in order] != list(range(size)):
        raise refusal.runtime(
            f"init_process_group: the ranks given are {[r for r, _ in order]}, not 0 to "
            f"{size - 1} once each",
            fix="leave rank out, it comes from MPI.",
        )
    made = ProcessGroup(name, Mpi(communicator), range(size), "0", limit)
    made.job_order = [job_rank for _, job_rank in order]
    return made


def _share_cores() -> None:
    """As many threads as a rank's share of the cores, unless the user said how many."""
    found = launched.place()
    if found is not None and found.local_size > 1 and "OMP_NUM_THREADS" not in os.environ:
        cores = len(os.sched_getaffinity(0))
        from ..tensor.settings import set_num_threads

        set_num_threads(max(1, cores // found.local_size))


def _not_launched(size: int) -> str:
    return (
        f"init_process_group: a group of {size} processes was asked for, but this process was not "
        f"started by MPI\n  at {source.here()}\n"
        f"  Fix: chainrule launch -n {size} script.py, or mpiexec -n {size} chainrule run script.py"
        "; the script needs no mp.spawn or Process of its own then."
    )


def _told(given: int, key: str, variable: str, init_method: str | None, store: Any) -> int:
    """A number from the argument, else the address's query, else the environment."""
    if given >= 0:
        return int(given)
    found = parse_qs(urlparse(init_method or "").query).get(key)
    if found:
        return int(found[0])
    elsewhere = init_method is not None and not init_method.startswith("env://")
    if (store is not None or elsewhere) and launched.place() is None:
        raise ValueError(f"Error initializing torch.distributed: {key} parameter missing")
    if variable not in os.environ:
        raise refusal.value(
            "Error initializing torch.distributed using env:// rendezvous: environment variable "
            f"{variable} expected, but not set",
            fix="chainrule launch -n 4 script.py starts 4 processes; for one, pass rank=0, "
            "world_size=1.",
        )
    return int(os.environ[variable])


def new_group(
    ranks: Sequence[int] | None = None, timeout: Any = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False,
    group_desc: str | None = None, device_id: Any = None,
) -> Any:  # fmt: skip
    """A group of some of the processes; those outside get `GroupMember.NON_GROUP_MEMBER`."""
    world = current(None)
    wanted = tuple(range(world.size()) if ranks is None else sorted(int(r) for r in ranks))
    _check_members(wanted, world.size())
    nth = _asked[wanted] = _asked.get(wanted, -1) + 1
    if world.rank() not in wanted:
        return _World.NON_GROUP_MEMBER
    transport: Any = Solo()
    if isinstance(world.transport, Mpi):
        comm = world.transport.comm
        tag = zlib.crc32(repr((wanted, nth)).encode()) % 32000
        transport = Mpi(comm.Create_group(comm.group.Incl(wanted), tag))
    name = f"{len(_made)}:{'-'.join(map(str, wanted))}:{nth}"
    limit = world.timeout if timeout is None else _timeout(timeout)
    made = ProcessGroup(_backend_name(backend or world.backend), transport, wanted, name, limit)
    made.group_desc = group_desc or "undefined"
    _made[name] = made
    return made


def _check_members(wanted: tuple[int, ...], size: int) -> None:
    if len(wanted) > size:
        raise refusal.value(
            "the new group's world size should be less or equal to the world size set by "
            f"init_process_group: {len(wanted)} ranks of {size}"
        )
    if outside := [rank for rank in wanted if not 0 <= rank < size]:
        raise refusal.value(
            "The new group's rank should be within the world_size set by init_process_group: rank "
            f"{outside[0]} of {size}"
        )
    if len(set(wanted)) != len(wanted):
        raise ValueError(f"the new group's ranks are not different: {list(wanted)}")


def destroy_process_group(group: Any = None) -> None:
    """Forget a group; without an argument, or with the default one, all of them."""
    default = _World.WORLD
    if default is None:
        raise AssertionError("Process group cannot be None")
    if group is None or group is default:
        _World.WORLD = None
        for made in reversed(_made.values()):
            made.transport.free()
        _made.clear()
        _asked.clear()
    elif not _rank_not_in_group(group) and _made.pop(group.group_name, None) is not None:
        group.transport.free()


# ---- questions about groups ----------------------------------------------------------------------


def current(group: Any) -> ProcessGroup:
    """The group meant by an argument: the default one for None; an error when there is none."""
    if _World.WORLD is None:
        raise refusal.value(f"{_NOT_READY}")
    return _World.WORLD if group is None else group


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
    return list(_made.values())


def _get_default_group() -> ProcessGroup:
    """The default group; an error when there is none."""
    return current(None)


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is outside a group."""
    return group is not None and not isinstance(group, ProcessGroup)


__all__ = ["RedOpType", "ReduceOp", "Work"]
