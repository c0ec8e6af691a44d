"""Sharded training, tensor parallel layers, and checkpoints that survive."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from chainrule.distributed import mpiexec

from .harness import HANGS, RANKS, needs_mpi, run


@needs_mpi
@pytest.mark.parametrize(
    "ranks", [pytest.param(2, marks=pytest.mark.slow), 3, pytest.param(4, marks=pytest.mark.slow)]
)
def test_sharded_training_equals_one_process(ranks):
    assert run(ranks, "sharding.py").stdout.count("is content") == ranks


@needs_mpi
@pytest.mark.parametrize(
    ("ranks", "what"),
    [(4, "some"), *[pytest.param(n, "everything", marks=pytest.mark.slow) for n in (2, 3, 4)]],
)
def test_tensors_of_a_mesh_compute_what_plain_ones_do(ranks, what):
    assert run(ranks, "dtensors.py", what).stdout.count("is content") == ranks


@needs_mpi
def test_a_checkpoint_is_read_by_another_number_of_ranks(tmp_path):
    run(2, "sharding.py", str(tmp_path / "state"), "save")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["state"]
    run(3, "sharding.py", str(tmp_path / "state"), "load")


def kill_while_saving(folder, seed, limit=HANGS):
    """Kill a rank at a random moment; the job must end, and the last checkpoint be whole."""
    chance = random.Random(seed)
    job = subprocess.Popen(
        [sys.executable, "-m", "chainrule", "launch", "-n", "2", str(RANKS / "saving.py"),
         str(folder / "state"), "save"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**mpiexec.environment(), "TMPDIR": str(folder)},
    )  # fmt: skip
    try:
        while "saved" not in job.stdout.readline():
            assert job.poll() is None, job.stderr.read()
        time.sleep(chance.uniform(0.0, 0.5))
        victims = sorted(folder.glob("chainrule-launch-*/*.process"))
        os.kill(json.loads(chance.choice(victims).read_text())["pid"], signal.SIGKILL)
        began = time.monotonic()
        _, errors = job.communicate(timeout=HANGS)
        assert time.monotonic() - began < limit
        assert job.returncode != 0 and "SIGKILL" in errors, errors
    finally:
        job.kill()
        job.communicate()
    done = run(1, "saving.py", str(folder / "state"), "load", torch=True)
    assert "whole" in done.stdout


@needs_mpi
def test_a_rank_killed_while_saving_leaves_the_last_checkpoint(tmp_path):
    kill_while_saving(tmp_path, 0)


@needs_mpi
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 50))
def test_kills_at_many_moments(tmp_path, seed):
    kill_while_saving(tmp_path, seed, limit=10)
