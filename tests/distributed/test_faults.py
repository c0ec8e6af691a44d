"""A rank that fails ends the job within seconds, with its rank and traceback first."""

import re
import subprocess
import sys

import pytest

from chainrule.distributed import mpiexec

from .harness import HANGS, RANKS, needs_mpi, run


def launch(*arguments, variables=None):
    """The finished job; one that hangs is ended, whatever else the machine has to do."""
    return subprocess.run(
        [sys.executable, "-m", "chainrule", "launch", *map(str, arguments)],
        capture_output=True, text=True, timeout=HANGS,
        env={**mpiexec.environment(), **(variables or {})},
    )  # fmt: skip


FAILURES = {
    "raise": "rank 2 of 3 failed first:\nTraceback (most recent call last):",
    "kill": "was killed by signal 9 (SIGKILL)",
    "leave": "rank 2 has ended its program while rank",
}
MORE = {
    "early": "ValueError: before the group is made",
    "absent": "waits for it in init_process_group",
    "exit": "it called sys.exit(3)",
    "hard": "is gone without a word",
}


def check_failure(how, text):
    done = launch("-n", 3, RANKS / "failing.py", how)
    assert done.returncode != 0 and text in done.stderr, done.stderr
    assert done.stderr.startswith("rank "), done.stderr
    assert "finished" not in done.stdout


@needs_mpi
@pytest.mark.parametrize("how", FAILURES)
def test_a_rank_that_fails_ends_the_job_and_is_named(how):
    check_failure(how, FAILURES[how])


@needs_mpi
@pytest.mark.slow
@pytest.mark.parametrize("how", MORE)
def test_other_ways_to_fail(how):
    check_failure(how, MORE[how])


@needs_mpi
def test_a_job_is_started_again():
    done = launch("-n", 2, "--restarts", 1, RANKS / "failing.py", "once")
    assert done.returncode == 0 and done.stdout.count("finished") == 2, done.stderr
    assert "rank 0 of 2 failed first:" in done.stderr and "starting again" in done.stderr


@needs_mpi
def test_calls_that_do_not_fit_are_named_with_both_lines():
    done = launch(
        "-n", 2, RANKS / "failing.py", "mismatch",
        variables={"TORCH_DISTRIBUTED_DEBUG": "DETAIL"},
    )  # fmt: skip
    assert "Detected mismatch between collectives on ranks" in done.stderr
    for line in ("dist.all_reduce(torch.ones(2))", "dist.all_reduce(torch.ones(3))"):
        assert f"in <module>: {line}" in done.stderr


@needs_mpi
@pytest.mark.slow
def test_calls_in_another_order_and_slow_ranks_are_named():
    debug = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
    done = launch("-n", 2, RANKS / "failing.py", "order", variables=debug)
    assert "Op type: broadcast vs barrier" in done.stderr or "barrier vs" in done.stderr
    done = launch("-n", 2, "--watch", "1", RANKS / "failing.py", "slow")
    assert done.returncode == 0 and "rank 1 computes while all others wait for it" in done.stderr


@needs_mpi
def test_a_rank_that_fails_under_mpiexec_alone():
    done = run(2, "failing.py", "raise", torch=True, check=False)
    assert done.returncode != 0
    assert "rank 1 of 2 failed:\nTraceback" in done.stderr and "rank is broken" in done.stderr


@needs_mpi
def test_scripts_that_spawn_their_processes():
    command = [sys.executable, "-m", "chainrule", "run", str(RANKS / "spawning.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr
    sums = re.findall(r"rank \d of 2: (-?\d+\.\d{6})", done.stdout)
    assert "joined" in done.stdout and len(sums) == 2 and sums[0] == sums[1]
    done = subprocess.run([*command, "fails"], capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 1
    assert "-- Process 1 terminated with the following error:" in done.stderr
    assert "ValueError: rank 1 is broken" in done.stderr


def test_the_command_says_what_it_lacks():
    done = launch("-n", 2, "nowhere.py")
    assert done.returncode == 2 and "can't open file 'nowhere.py'" in done.stderr
    done = launch("-n", "many", "x.py")
    assert done.returncode == 2 and "'many' is no number of processes" in done.stderr
