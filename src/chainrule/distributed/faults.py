"""What happens to the job when one rank ends early: the others are told, or ended, never left.

A rank that raises shows its traceback and ends the job. A rank that ends while others wait for it
has told them so: whoever waits longer than a moment looks for such notices and raises.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import stat
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from typing import Any

from . import launched, mpi
from .errors import DistBackendError
from .group import is_initialized
from .notices import GRACE, LEFT_TAG, Look, Notices, read_notices
from .statuses import show_end
from .work import Waiting, drive_all, stop_progress

STATUS = "CHAINRULE_STATUS"  # a folder where `chainrule launch` reads how its ranks fare


class _Job:
    """This process as a rank of its job."""

    exit_code: Any = None
    previous_hook: Any = None
    ending = False
    presented = False


def begin() -> None:
    """At the start of a program that MPI may have started: look after it, if it is a rank."""
    found = launched.adopt()
    if found is not None and found.size > 1 and mpi.is_installed():
        _present(found)
        watch()


def _present(found: launched.Place) -> None:
    """Tell the launcher which process this rank is, and let it see its end."""
    if not _Job.presented and write_status("process", {"size": found.size}):
        _Job.presented = True
        show_end(os.environ[STATUS], found.rank)


@contextlib.contextmanager
def noting_exit() -> Iterator[None]:
    """Note the code a program ends with, however it asks for its end."""
    try:
        yield
    except SystemExit as end:
        _Job.exit_code = end.code
        raise


def watch() -> None:
    """From now on this rank's end is noticed by the others."""
    if Notices.control is not None:
        return
    if os.environ.get("CHAINRULE_WATCH"):
        threading.Thread(target=_beat, name="beat", daemon=True).start()
    found = launched.place()
    if found is not None:
        _present(found)
    world = mpi.library().COMM_WORLD
    Notices.control = world.Dup()
    _Job.previous_hook = sys.excepthook
    sys.excepthook = _report
    _note_exit_codes()
    atexit.register(_leave)


def _note_exit_codes() -> None:
    plain = sys.exit

    def exit_noting(status: Any = None, /) -> Any:
        _Job.exit_code = status
        plain(status)

    sys.exit = exit_noting  # type: ignore[assignment]
    plain_end, rank_process = os._exit, os.getpid()

    def end_noting(status: int) -> Any:
        if os.getpid() == rank_process and not _Job.ending:  # no child of the rank's
            _tell_of_hard_end(status)
        plain_end(status)

    os._exit = end_noting  # type: ignore[assignment]


def _tell_of_hard_end(status: int) -> None:
    """`os._exit` runs nothing of ours afterwards: the launcher is told before."""
    if status == 0 and not is_initialized():
        write_status("left", {})  # after the end of its group: nobody waits for it
    else:
        text = f"it called os._exit({status})\n"
        write_status("error", {"text": text, "time": time.time()})


def _report(kind: type[BaseException], problem: BaseException, trace: Any) -> None:
    """Show the traceback under the rank's number, and end the job."""
    world = mpi.library().COMM_WORLD
    if not issubclass(kind, KeyboardInterrupt):
        sys.stdout.flush()
        text = "".join(traceback.format_exception(kind, problem, trace))
        # A launcher shows the traceback of the rank that failed first, and that alone.
        if not write_status("error", {"text": text, "time": time.time()}):
            shown = io.StringIO()  # line by line, the launcher might end between two of them
            with contextlib.redirect_stderr(shown):
                _Job.previous_hook(kind, problem, trace)
            head = f"rank {world.rank} of {world.size} failed:\n"
            sys.stderr.write(head + shown.getvalue())
    end_job(130 if issubclass(kind, KeyboardInterrupt) else 1)


def end_job(code: int) -> None:
    """End every rank of the job now, once what this one wrote is on its way."""
    _Job.ending = True
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        _wait_until_read(stream)
    mpi.library().COMM_WORLD.Abort(code)


def _wait_until_read(stream: Any) -> None:
    """`mpiexec` reads what ranks write from pipes, and on an abort leaves what is still in them."""
    try:
        import fcntl
        import termios

        descriptor = stream.fileno()
        if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            return
        latest = time.monotonic() + GRACE
        while time.monotonic() < latest:
            unread = fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))
            if not int.from_bytes(unread, sys.byteorder):
                return
            time.sleep(0.002)
    except (ImportError, OSError, ValueError, AttributeError):
        return  # no pipe that tells: a closed or replaced stream, or another system


def write_status(what: str, values: dict[str, Any]) -> bool:
    """Tell the launcher something about this rank; whether it listens."""
    folder = os.environ.get(STATUS)
    found = launched.place()
    if not folder or found is None or not os.path.isdir(folder):
        return False
    path = os.path.join(folder, f"{found.rank}.{what}")
    try:
        with open(f"{path}.new", "w", encoding="utf-8") as out:
            json.dump({"rank": found.rank, "pid": os.getpid(), **values}, out)
        os.replace(f"{path}.new", path)
    except OSError:  # no room, or the launcher is gone: what the rank does goes on
        return False
    return True


def _beat() -> None:
    """Tell the launcher every half second what this rank does."""
    began = time.perf_counter()
    while not _Job.ending:
        now = time.perf_counter() - Waiting.since if Waiting.now_in else 0.0
        write_status("beat", {
            "steps": Waiting.steps, "calls": Waiting.calls, "waiting": Waiting.seconds + now,
            "in": Waiting.now_in, "seconds": time.perf_counter() - began, "time": time.time(),
        })  # fmt: skip
        time.sleep(0.5)


# ---- leaving -------------------------------------------------------------------------------------


def _leave() -> None:
    """At the end of the program: tell the others, and wait for them without using the core."""
    if _Job.ending or launched.place() is None or mpi.library().Is_finalized():
        return
    sys.stdout.flush()
    code = _Job.exit_code
    if code not in (None, 0):
        shown = f"sys.exit({code!r})"
        if not write_status("error", {"text": f"it called {shown}\n", "time": time.time()}):
            print(f"rank {Notices.control.rank} ended by {shown}: the job ends", file=sys.stderr)
        end_job(code if isinstance(code, int) else 1)
        return
    write_status("left", {})
    control = Notices.control
    sent = [
        control.Isend([bytearray(1), 1, mpi.library().BYTE], other, LEFT_TAG)
        for other in range(control.size)
        if other != control.rank
    ]

    def everybody_left() -> bool:
        drive_all()  # what was started and not waited for
        read_notices()
        return len(Notices.left) == control.size - 1

    mpi.wait_politely(everybody_left, None, lambda: None)
    stop_progress()
    mpi.library().Request.Waitall(sent)


def meet(seconds: float) -> None:
    """Wait until all ranks of the job are here; an error if one has ended or does not come."""
    here = Notices.control.Ibarrier()
    if not mpi.wait_politely(here.Test, seconds, Look("init_process_group", _Everybody())):
        raise DistBackendError(
            f"Timed out after {seconds:.0f} s in init_process_group: not all ranks called it"
        )


class _Everybody:
    """All ranks of the job, as a group is asked."""

    def job_ranks(self) -> list[int]:
        """Their numbers."""
        return list(range(Notices.control.size))

    def job_rank(self) -> int:
        """This one's."""
        return Notices.control.rank
