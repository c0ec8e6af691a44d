"""Whether this process is a rank of an MPI job, told by the variables its launcher set.

Nothing here loads MPI: scripts read RANK and WORLD_SIZE long before they use it.
"""

from __future__ import annotations

import os
from typing import NamedTuple

# (rank, size, rank on this machine, ranks on this machine): MPICH, Intel MPI and others with
# Hydra; Open MPI; MVAPICH; a Slurm step with PMIx.
_LAUNCHERS = (
    ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK",
     "MV2_COMM_WORLD_LOCAL_SIZE"),
    ("PMIX_RANK", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE"),
)  # fmt: skip
RANK_PROCESS = "CHAINRULE_RANK_PROCESS"  # the process that is the rank: its children are not
DEFAULT_PORT = "29500"


class Place(NamedTuple):
    """Which rank a process is."""

    rank: int
    size: int
    local_rank: int
    local_size: int


def place() -> Place | None:
    """This process's place in the MPI job that started it; None for any other process."""
    if os.environ.get(RANK_PROCESS, str(os.getpid())) != str(os.getpid()):
        return None  # a data loader's worker, or another child of a rank
    for rank, size, local_rank, local_size in _LAUNCHERS:
        if rank in os.environ and size in os.environ:
            number, count = int(os.environ[rank]), int(os.environ[size])
            near = _number(os.environ.get(local_rank), number)
            return Place(number, count, near, _number(os.environ.get(local_size), count))
    return None


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isdecimal() else otherwise


def adopt() -> Place | None:
    """Give scripts torchrun's variables, if MPI started this process."""
    found = place()
    if found is None:
        return found
    os.environ[RANK_PROCESS] = str(os.getpid())
    values = {
        "RANK": found.rank, "WORLD_SIZE": found.size, "LOCAL_RANK": found.local_rank,
        "LOCAL_WORLD_SIZE": found.local_size, "GROUP_RANK": found.rank // max(1, found.local_size),
    }  # fmt: skip
    os.environ.update({name: str(value) for name, value in values.items()})
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", DEFAULT_PORT)
    return found
