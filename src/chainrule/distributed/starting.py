"""Groups begin and end: the default one in the MPI job, and groups of its members."""

from __future__ import annotations

import datetime
import os
import zlib
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlparse

from ..autograd import refusal, source
from ..autograd.accidents import explain_module
from . import faults, launched, mpi
from .debug_level import set_debug_level_from_env
from .group import (
    GROUPS,
    TIMEOUT,
    ProcessGroup,
    World,
    _rank_not_in_group,
    current,
    is_initialized,
)
from .transport import Mpi, Solo

_MEANT = ("mpi", "gloo", "nccl", "ucc", "xccl", "undefined", "fake")
_asked: dict[tuple[int, ...], int] = {}  # how often a group of these ranks was asked for
_said: set[str] = set()


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
        World.WORLD = ProcessGroup(name, Solo(), [0], "0", limit)
    else:
        World.WORLD = _world_of_job(name, number, size, limit)
    GROUPS["0"] = World.WORLD
    set_debug_level_from_env()


def _timeout(given: Any) -> datetime.timedelta:
    if given is None:
        return TIMEOUT
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
        return World.NON_GROUP_MEMBER
    transport: Any = Solo()
    if isinstance(world.transport, Mpi):
        comm = world.transport.comm
        tag = zlib.crc32(repr((wanted, nth)).encode()) % 32000
        transport = Mpi(comm.Create_group(comm.group.Incl(wanted), tag))
    name = f"{len(GROUPS)}:{'-'.join(map(str, wanted))}:{nth}"
    limit = world.timeout if timeout is None else _timeout(timeout)
    made = ProcessGroup(_backend_name(backend or world.backend), transport, wanted, name, limit)
    made.group_desc = group_desc or "undefined"
    GROUPS[name] = made
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
    default = World.WORLD
    if default is None:
        raise AssertionError("Process group cannot be None")
    if group is None or group is default:
        World.WORLD = None
        for made in reversed(GROUPS.values()):
            made.transport.free()
        GROUPS.clear()
        _asked.clear()
    elif not _rank_not_in_group(group) and GROUPS.pop(group.group_name, None) is not None:
        group.transport.free()


explain_module(globals())
