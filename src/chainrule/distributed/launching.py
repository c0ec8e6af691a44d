"""`chainrule launch -n 4 train.py`: a program in several processes, under the mpiexec there is."""

from __future__ import annotations

import argparse
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

from ..utils import owned_folders
from . import mpiexec
from .faults import STATUS
from .statuses import Ends, Failure, first_failure, ranks_of, read, table

_AFTER_FAILURE = 3.0  # seconds in which mpiexec ends the other ranks; then they are ended here
_LOST = 5.0  # seconds after which a rank that is gone without a word counts as failed
_LOOK = 0.1
_LAST_WORDS = 10.0  # seconds for what mpiexec wrote before its end


# Options of torchrun that say how processes find each other.
_TORCHRUNS = (
    "node-rank", "master-addr", "master-port", "rdzv-backend", "rdzv-endpoint", "rdzv-id",
    "rdzv-conf", "local-addr", "role", "start-method", "monitor-interval",
)  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Run the command; the exit code of the job."""
    options = parser().parse_args(argv)
    if not options.program:
        parser().print_usage(sys.stderr)
        print("chainrule launch: which script? chainrule launch -n 4 train.py", file=sys.stderr)
        return 2
    if options.nnodes not in ("1", "1:1"):
        print(
            f"chainrule launch: --nnodes {options.nnodes}: several machines are MPI's. Give "
            "mpiexec its hosts: chainrule launch -n 8 --mpi '-hosts a,b' train.py, or mpiexec -n 8 "
            "-hosts a,b chainrule run train.py",
            file=sys.stderr,
        )
        return 2
    program = [*(["-m"] if options.module else []), *options.program]
    if not options.module and not os.path.exists(program[0]):
        print(f"chainrule launch: can't open file {program[0]!r}: no such file", file=sys.stderr)
        return 2
    try:
        mpiexec.find()
    except mpiexec.NoLauncher as problem:
        print(f"chainrule launch: {problem}", file=sys.stderr)
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):  # of batch systems and closed terminals
        signal.signal(number, _raise_terminated)
    words = [sys.executable, "-m", "chainrule", "run", *program]
    return with_restarts(words, options.ranks, options.restarts, options.watch, options.mpi)


class Terminated(KeyboardInterrupt):
    """Somebody asked the launcher to end."""


def _raise_terminated(number: int, frame: Any) -> None:
    raise Terminated(128 + number)


def _end_with(parent: int) -> None:
    """In mpiexec before its program starts: be told when the launcher is gone, even killed."""
    if sys.platform == "linux":
        import ctypes

        set_signal_at_parents_end = 1
        ctypes.CDLL(None).prctl(set_signal_at_parents_end, int(signal.SIGTERM))
        if os.getppid() != parent:  # it has ended meanwhile
            os._exit(1)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="chainrule launch",
        description="Run an unmodified PyTorch program in several processes that train together, "
        "over MPI. Each finds torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, ...).",
    )
    made.add_argument(
        "-n", "--ranks", "--nproc-per-node", "--nproc_per_node", type=_count, default=_cores(),
        metavar="N", help="number of processes; without it, one per core",
    )  # fmt: skip
    made.add_argument(
        "--restarts", "--max-restarts", "--max_restarts", type=int, default=0, metavar="N",
        help="start again up to N times after a failure; the program loads its last checkpoint",
    )  # fmt: skip
    made.add_argument(
        "--watch", nargs="?", type=float, const=2.0, metavar="SECONDS",
        help="show every few seconds what each rank does and how long it waits for others",
    )  # fmt: skip
    made.add_argument("--mpi", default="", metavar="FLAGS", help="more flags for mpiexec, quoted")
    made.add_argument("-m", "--module", action="store_true", help="the program is a module")
    made.add_argument("--nnodes", default="1", metavar="1", help=argparse.SUPPRESS)
    for name in _TORCHRUNS:  # told by MPI here
        made.add_argument(f"--{name}", f"--{name.replace('-', '_')}", help=argparse.SUPPRESS)
    made.add_argument("--standalone", action="store_true", help=argparse.SUPPRESS)
    made.add_argument("program", nargs=argparse.REMAINDER, help="script.py and its arguments")
    return made


def _count(text: str) -> int:
    """A number of processes; torchrun's words for one per core are understood."""
    if text in ("auto", "cpu", "gpu"):
        return _cores()
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes")
    return int(text)


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def with_restarts(
    words: list[str], ranks: int, restarts: int, watch: float | None = None, flags: str = ""
) -> int:
    """Run a job, again after each failure up to so many times; the last exit code."""
    for attempt in range(restarts + 1):
        job = Job(words, ranks, attempt, watch, flags)
        code = job.run()
        failure = job.failure
        if code == 0 or job.interrupted:
            return code
        print(failure.shown() if failure else f"the job ended with code {code}", file=sys.stderr)
        if attempt < restarts:
            print(
                f"chainrule launch: starting again, {restarts - attempt} of {restarts} restarts "
                "left",
                file=sys.stderr,
            )
    return code


class Job:
    """One run of mpiexec."""

    def __init__(
        self, words: list[str], ranks: int, attempt: int = 0, watch: float | None = None,
        flags: str = "", variables: dict[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.words, self.ranks, self.watch = words, ranks, watch
        self.folder = owned_folders.make("chainrule-launch-")
        self.flags = flags.split()
        self.environment = {
            **mpiexec.environment(), STATUS: self.folder, "TORCHELASTIC_RUN_ID": "chainrule",
            "TORCHELASTIC_RESTART_COUNT": str(attempt), "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(_free_port()), **(variables or {}),
        }  # fmt: skip
        if watch:
            self.environment["CHAINRULE_WATCH"] = "1"
        self.failure: Failure | None = None
        self.interrupted = False
        self.ends = Ends(self.folder)
        self.said: list[str] = []  # what mpiexec itself says about an end

    def start(self) -> None:
        """Start the ranks."""
        command = [*mpiexec.command(self.ranks, self.flags), *self.words]
        self.process = subprocess.Popen(
            command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            # Told when the thread that starts it ends: only where that is the program's first.
            preexec_fn=functools.partial(_end_with, os.getpid()) if _is_first_thread() else None,
        )  # fmt: skip
        streams = ((self.process.stdout, sys.stdout), (self.process.stderr, sys.stderr))
        self._relays = [
            threading.Thread(target=self._relay, args=pair, daemon=True) for pair in streams
        ]
        for relay in self._relays:
            relay.start()

    def run(self) -> int:
        """Start the ranks and wait for them; the exit code."""
        self.start()
        return self.wait()

    def wait(self) -> int:
        """Wait for the ranks; a failure ends all of them within seconds."""
        failed_at, shown_at, asked_code = None, time.monotonic(), 0
        try:
            while self.process.poll() is None:
                time.sleep(_LOOK)
                self.ends.look()
                now = time.monotonic()
                if failed_at is None and first_failure(self.folder, _LOST) is not None:
                    failed_at = now
                if failed_at is not None and now - failed_at > _AFTER_FAILURE:
                    self.kill()
                if self.watch and now - shown_at > self.watch:
                    shown_at = now
                    print(table(self.folder, self.ranks), file=sys.stderr)
        except KeyboardInterrupt as asked:
            self.interrupted = True
            self._end_gently()
            asked_code = asked.args[0] if isinstance(asked, Terminated) else 130
        code = self.process.wait()
        code = asked_code if self.interrupted else code
        for relay in self._relays:
            relay.join(timeout=_LAST_WORDS)
        if self.watch:
            print(table(self.folder, self.ranks), file=sys.stderr)
        unfinished = set(ranks_of(self.folder)) - set(read(self.folder, "left"))
        if code != 0 or unfinished:  # some mpiexec forgive os._exit(0), which ends the others too
            ended = self.ends.look()
            self.failure = first_failure(self.folder, 0.0, "\n".join(self.said), ended)
            code = code or int(self.failure is not None)
        self.ends.close()
        owned_folders.remove(self.folder)
        return 128 - code if code < 0 else code

    def _end_gently(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End mpiexec and every rank that is known here."""
        for rank in ranks_of(self.folder).values():
            try:
                os.kill(rank["pid"], signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        self.process.kill()

    def _relay(self, source: Any, target: Any) -> None:
        """Pass on what the ranks write; keep what mpiexec says, which names processes."""
        until, ruler = "", ""  # how a notice of mpiexec ends; a line that one may begin with
        for raw in source:
            line = raw.decode(errors="replace").lstrip("\0")  # Open MPI leaves one behind
            if until:
                until = "" if line.startswith(until) else until
                self.said.append(line.rstrip())
                continue
            if ruler and (until := _end_of_notice(ruler, line)):
                self.said += [ruler.rstrip(), line.rstrip()]
                ruler = ""
                continue
            if ruler:
                target.write(ruler)  # the program's own
                ruler = ""
            if line.startswith(_RULERS):
                ruler = line
            elif _is_mpis(line):
                self.said.append(line.rstrip())
            elif line:
                target.write(line)
                target.flush()
        target.write(ruler)
        target.flush()


_RULERS = ("=" * 60, "-" * 60)


def _end_of_notice(ruler: str, line: str) -> str:
    """How a notice of mpiexec ends that begins with these lines; nothing if it is none."""
    if ruler.startswith("="):
        return "Please see the FAQ" if line.startswith("=   BAD TERMINATION") else ""
    heads = ("MPI_ABORT was invoked", "prterun ", "mpirun ", "mpiexec ", "Primary job ",
             "An MPI process has", "PRTE has lost")  # fmt: skip
    return "-" * 60 if line.startswith(heads) else ""


def _is_mpis(line: str) -> bool:
    """Whether a line is mpiexec's or the MPI library's own, about an end."""
    heads = ("Abort(", "[mpiexec", "[proxy", "YOUR APPLICATION", "This typically refers",
             "prterun", "mpiexec noticed", "MPI_ABORT was invoked", "[prterun")  # fmt: skip
    return line.startswith(heads)


def _is_first_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
