"""Where mpiexec is, and how each kind of it is asked for ranks."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .mpi import INSTALL


class NoLauncher(RuntimeError):
    """There is no mpiexec."""


@functools.cache
def find() -> str:
    """The mpiexec of the MPI that mpi4py of this interpreter uses, else the first of PATH."""
    if chosen := os.environ.get("CHAINRULE_MPIEXEC"):
        return chosen
    beside = Path(sys.executable).parent / "mpiexec"
    if beside.exists():
        return str(beside)
    found = shutil.which("mpiexec") or shutil.which("mpirun")
    if found is None:
        raise NoLauncher(
            "no mpiexec beside this Python nor on PATH.\n"
            f"  Fix: {INSTALL}. CHAINRULE_MPIEXEC=/path/to/mpiexec names another one."
        )
    return found


@functools.cache
def kind(path: str) -> str:
    """`openmpi`, `hydra` (MPICH, Intel MPI) or `other`."""
    shown = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    text = shown.stdout + shown.stderr
    if "Open MPI" in text or "OpenRTE" in text or "open-mpi" in text:
        return "openmpi"
    return "hydra" if "HYDRA" in text or "Intel" in text else "other"


def command(ranks: int, extra: list[str] | None = None) -> list[str]:
    """The words before the program: so many ranks, more than cores if need be."""
    path = find()
    flags = []
    if kind(path) == "openmpi":
        flags = ["--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"]
        if os.geteuid() == 0:
            flags.insert(0, "--allow-run-as-root")
    return [path, *flags, *(extra or []), "-n", str(ranks)]


def environment(base: dict[str, str] | None = None) -> dict[str, str]:
    """Variables for ranks: none of an MPI job that this process is a part of, one thread each."""
    from .launched import RANK_PROCESS

    heads = ("PMI_", "PMIX_", "OMPI_", "PRTE_", "HYDI_", "HYDRA_", "MPI_LOCAL")
    found = {
        k: v for k, v in (base or dict(os.environ)).items()
        if not k.startswith(heads) and k != RANK_PROCESS
    }  # fmt: skip
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        found.setdefault(name, "1")
    # MPI libraries poll without pause while they wait; ranks that share cores must give way.
    found.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    return found
