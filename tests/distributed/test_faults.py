"""A rank that fails ends the job within seconds, with its rank and traceback first."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest

from chainrule.distributed import mpiexec
from chainrule.distributed.statuses import Ends, _is_there, first_failure, table

from .harness import HANGS, RANKS, needs_mpi, run

slow = pytest.mark.slow


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
    "exit": "rank 2 of 3 failed first:\nit called sys.exit(3)",
    "hard": "rank 2 of 3 failed first:\nit called os._exit(0)",
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
def test_a_job_goes_on_from_its_last_checkpoint(tmp_path):
    done = launch("-n", 2, "--restarts", 1, RANKS / "resuming.py", tmp_path / "state")
    assert done.returncode == 0 and done.stdout.count("from 3") == 2, done.stderr
    assert "rank 1 of 2 failed first: process" in done.stderr and "SIGKILL" in done.stderr
    assert "starting again" in done.stderr


@needs_mpi
def test_calls_that_do_not_fit_and_late_ranks_are_named():
    debug = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
    done = run(2, "mismatches.py", torch=True, variables=debug)
    assert done.stdout.count("is content") == 2


@needs_mpi
@pytest.mark.slow
def test_a_job_that_does_not_fit_ends_and_slow_ranks_are_shown():
    debug = {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
    done = launch("-n", 2, RANKS / "failing.py", "mismatch", variables=debug)
    assert "Detected mismatch between collectives on ranks" in done.stderr
    done = launch("-n", 2, "--watch", "1", RANKS / "failing.py", "slow")
    assert done.returncode == 0 and "rank 1 computes while all others wait for it" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell of ends")
def test_the_rank_that_ended_first_is_named_whichever_mpiexec_names(tmp_path):
    ends = Ends(str(tmp_path))
    holds = "import sys; from chainrule.distributed.statuses import show_end;"
    holds += "show_end(sys.argv[1], int(sys.argv[2])); print('held', flush=True); input()"
    ranks = [
        subprocess.Popen([sys.executable, "-c", holds, tmp_path, str(rank)], stdin=-1, stdout=-1)
        for rank in range(3)
    ]
    for rank, process in enumerate(ranks):
        written = json.dumps({"pid": process.pid, "size": 3})
        (tmp_path / f"{rank}.process").write_text(written)
        process.stdout.readline()
    for rank in (1, 2, 0):  # all before the first look, as on a busy machine
        ranks[rank].kill()
        ranks[rank].communicate()
    order = ends.look()
    ends.close()
    assert order == [1, 2, 0]
    said = f"=   PID {ranks[0].pid} RUNNING AT here\n=   EXIT CODE: 9"
    failure = first_failure(str(tmp_path), 0.0, said, order)
    assert failure.shown().startswith(f"rank 1 of 3 failed first: process {ranks[1].pid} ended")
    assert "SIGKILL" in failure.text and failure.signal_number == 9


def test_the_table_of_watched_ranks_names_the_slow_one(tmp_path):
    beat = {"steps": 7, "calls": 30, "waiting": 2.0, "seconds": 4.0, "time": time.time()}
    for rank, doing in enumerate(("all_reduce", "", "all_reduce")):
        (tmp_path / f"{rank}.beat").write_text(json.dumps({**beat, "in": doing}))
    shown = table(str(tmp_path), 3)
    assert "0        7           30      50%  waits in all_reduce" in shown
    assert shown.endswith("rank 1 computes while all others wait for it")


@needs_mpi
def test_a_rank_that_fails_under_mpiexec_alone():
    done = run(2, "failing.py", "raise", torch=True, check=False)
    assert done.returncode != 0
    assert "rank 1 of 2 failed:\nTraceback" in done.stderr and "rank is broken" in done.stderr


@needs_mpi
def test_what_a_failing_rank_has_to_say_arrives_whole():
    done = run(2, "failing.py", "at-length", torch=True, check=False)
    assert done.returncode != 0 and "detail 4999\nits last word" in done.stderr


@needs_mpi
@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGKILL, marks=slow)])
def test_no_rank_outlives_its_launcher(number):
    job = subprocess.Popen(
        [sys.executable, "-m", "chainrule", "launch", "-n", "2", str(RANKS / "waiting.py")],
        stdout=subprocess.PIPE, text=True, env=mpiexec.environment(),
    )  # fmt: skip
    with job:
        try:
            ranks = [int(job.stdout.readline()) for _ in range(2)]
            job.send_signal(number)
            assert job.wait(HANGS) == (143 if number == signal.SIGTERM else -9)
        finally:
            job.kill()  # a failure here must not wait for what waits for ever
        deadline = time.monotonic() + HANGS
        while any(_is_there(pid) for pid in ranks) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(_is_there(pid) for pid in ranks)


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


@needs_mpi
def test_the_words_of_torchrun_start_ranks_and_their_lines_are_shown():
    words = ["-m", "chainrule", "run", "-m", "torch.distributed.run", "--standalone", "--nnodes=1"]
    words += ["--nproc-per-node=1", "--master_port", "29501", RANKS / "rulers.py"]
    done = subprocess.run(
        [sys.executable, *map(str, words)], capture_output=True, text=True, timeout=HANGS
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["=" * 70, "epoch 1", "-" * 70, "rank 0"]


def test_the_command_says_what_it_lacks():
    done = launch("-n", 2, "nowhere.py")
    assert done.returncode == 2 and "can't open file 'nowhere.py'" in done.stderr
    done = launch("-n", "many", "x.py")
    assert done.returncode == 2 and "'many' is no number of processes" in done.stderr
    done = launch("--nnodes", 2, "x.py")
    assert done.returncode == 2 and "several machines are MPI's" in done.stderr
