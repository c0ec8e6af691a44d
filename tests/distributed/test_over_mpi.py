"""Collectives and training over a real MPI, with 2, 3 and 4 processes."""

import json
import re
from pathlib import Path

import pytest

from .harness import RANKS, needs_mpi, run
from .test_faults import launch

slow = pytest.mark.slow
PRINTED = json.loads((Path(__file__).parents[1] / "recorded" / "ddp_losses.json").read_text())


@needs_mpi
@pytest.mark.parametrize("ranks", [pytest.param(2, marks=slow), 3, pytest.param(4, marks=slow)])
def test_every_collective_agrees_with_numpy(ranks):
    done = run(ranks, "collectives.py")
    assert done.stdout.count("is content") == ranks


@needs_mpi
def test_meshes_of_two_dimensions_have_groups_along_each():
    assert run(4, "collectives.py", "mesh").stdout.count("is content") == 4


@needs_mpi
@pytest.mark.parametrize(
    ("ranks", "what"),
    [(2, "all"), (3, "models"), (4, "models"), pytest.param(3, "all", marks=slow),
     pytest.param(4, "all", marks=slow)],
)  # fmt: skip
def test_training_equals_one_process_with_the_whole_batch(ranks, what):
    done = run(ranks, "training.py", what)
    assert done.stdout.count("is content") == ranks


@needs_mpi
@pytest.mark.parametrize(
    ("script", "ranks"),
    [("user_ddp.py", 2), ("user_gpt.py", 3), ("user_sharded.py", 2),
     ("user_meshes.py", 4),
     pytest.param("user_ddp.py", 3, marks=slow), pytest.param("user_gpt.py", 2, marks=slow),
     pytest.param("user_sharded.py", 3, marks=slow)],
)  # fmt: skip
def test_a_users_script_prints_what_it_does_under_pytorch(script, ranks):
    done = launch("-n", ranks, RANKS / script)
    assert done.returncode == 0, done.stderr
    numbers = [float(found) for found in re.findall(r"\d+\.\d{6,}", done.stdout)]
    assert numbers == pytest.approx(PRINTED[script][str(ranks)], rel=1e-5)


@needs_mpi
@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=slow)])
def test_compiled_steps_reduce_as_plain_ones(ranks):
    done = run(ranks, "compiled.py")
    assert done.stdout.count("is content") == ranks
