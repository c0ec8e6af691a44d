"""Runs programs of `ranks/` under a real mpiexec."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chainrule.distributed import mpiexec

RANKS = Path(__file__).parent / "ranks"
HANGS = 300  # seconds: far more than any job here takes on a machine that is busy


def _why_not() -> str | None:
    if importlib.util.find_spec("mpi4py") is None:
        return "mpi4py is not installed: pip install 'chainrule[mpi]'"
    try:
        mpiexec.find()
    except mpiexec.NoLauncher as problem:
        return str(problem)
    return None


needs_mpi = pytest.mark.skipif(_why_not() is not None, reason=_why_not() or "")


def run(ranks, program, *arguments, variables=None, torch=False, check=True):
    """The finished process of so many ranks; its output is shown when it fails."""
    start = ["-m", "chainrule", "run"] if torch else []
    command = [*mpiexec.command(ranks), sys.executable, *start, str(RANKS / program), *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=HANGS,
        env={**mpiexec.environment(), **(variables or {})}, cwd=os.getcwd(),
    )  # fmt: skip
    if check:
        assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-6000:]}"
    return done
