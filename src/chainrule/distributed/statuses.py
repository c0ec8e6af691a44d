"""What ranks tell their launcher through a folder, and what it makes of it."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import re
import signal
import struct
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Failure:
    """The first rank that failed."""

    rank: int
    size: int
    pid: int
    text: str  # its traceback, or how it ended
    raised: bool = True
    signal_number: int | None = None

    def shown(self) -> str:
        """For people: rank and traceback."""
        head = f"rank {self.rank} of {self.size} failed first"
        return f"{head}:\n{self.text.rstrip()}" if self.raised else f"{head}: {self.text}"


def read(folder: str, what: str) -> dict[int, dict[str, Any]]:
    """What ranks wrote about something, by rank."""
    found = {}
    for path in Path(folder).glob(f"*.{what}"):
        try:
            found[int(path.stem)] = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
    return found


def ranks_of(folder: str) -> dict[int, dict[str, Any]]:
    """The processes of the ranks."""
    return read(folder, "process")


_CLOSED = 0x8  # inotify's IN_CLOSE_WRITE
_EVENT = struct.Struct("iIII")  # of inotify: watch, what, cookie, length of the name that follows
_HIGH = 200  # above the descriptors that a rank inherits


class Ends:
    """In which order the ranks of this machine end.

    mpiexec ends the others as soon as one has ended, and may then name one of these. Each rank
    holds a file open that the system closes with it, and Linux keeps a list of what was closed in
    a folder, in order, however late one looks. Elsewhere the order is not known.
    """

    def __init__(self, folder: str) -> None:
        self.order: list[int] = []
        self._closed: int | None = None
        if sys.platform == "linux":
            system = ctypes.CDLL(None)
            descriptor = system.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            if descriptor >= 0:
                system.inotify_add_watch(descriptor, os.fsencode(folder), _CLOSED)
                self._closed = descriptor

    def look(self) -> list[int]:
        """The ranks that have ended, in order."""
        while self._closed is not None:
            try:
                told = os.read(self._closed, 1 << 16)
            except BlockingIOError:
                break
            while told:
                _, _, _, length = _EVENT.unpack_from(told)
                name = told[_EVENT.size : _EVENT.size + length].rstrip(b"\0").decode()
                told = told[_EVENT.size + length :]
                if name.endswith(".end"):
                    self.order.append(int(name.removesuffix(".end")))
        return self.order

    def close(self) -> None:
        """Follow no rank any longer."""
        if self._closed is not None:
            os.close(self._closed)
            self._closed = None


def show_end(folder: str, rank: int) -> None:
    """From now on the launcher sees when this process, a rank, ends."""
    try:
        import fcntl
    except ImportError:  # Windows tells of no ends
        return
    opened = os.open(os.path.join(folder, f"{rank}.end"), os.O_WRONLY | os.O_CREAT, 0o600)
    # Hydra ends all other ranks the moment it loses a rank's connection. Linux closes what was
    # opened by a process that ends from the highest descriptor down: the file must come first.
    descriptor = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(opened)
    # A child of the rank's must not keep the file open.
    os.register_at_fork(after_in_child=functools.partial(os.close, descriptor))


def first_failure(
    folder: str, patience: float, said: str = "", ended: Sequence[int] = ()
) -> Failure | None:
    """The rank that failed first: by its own word, by mpiexec's, or because it is gone.

    `ended`: the ranks that have ended, in their order, as far as it is known.
    """
    processes = ranks_of(folder)
    size = max((p.get("size", 1) for p in processes.values()), default=1)
    errors = read(folder, "error")
    killed = _killed(processes, said, size)
    if errors:
        rank = min(errors, key=lambda r: errors[r]["time"])
        return Failure(rank, size, errors[rank]["pid"], errors[rank]["text"])
    left = read(folder, "left")
    before = [rank for rank in ended if rank not in left][:1]
    if killed is not None and before not in ([], [killed.rank]):
        pid = processes[before[0]]["pid"]
        text = f"process {pid} ended before all others (of rank {killed.rank}: {killed.text})"
        return Failure(before[0], size, pid, text, False, killed.signal_number)
    if killed is not None:
        return killed
    gone = [r for r, p in processes.items() if r not in left and not _is_there(p["pid"])]
    since = {rank: _gone_since(folder, rank) for rank in gone}
    if not since or time.time() - min(since.values()) < patience:
        return None
    # mpiexec ends the others soon afterwards.
    rank = before[0] if before else min(since, key=lambda r: since[r])
    pid = processes[rank]["pid"]
    return Failure(rank, size, pid, f"process {pid} is gone without a word", raised=False)


def _killed(processes: dict[int, dict[str, Any]], said: str, size: int) -> Failure | None:
    """The rank that mpiexec says was killed."""
    pid = re.search(r"PID (\d+) RUNNING AT", said)
    code = re.search(r"EXIT CODE: (\d+)", said)
    if pid and code:
        number = int(code.group(1))
        by_pid = {p["pid"]: rank for rank, p in processes.items()}
        rank = by_pid.get(int(pid.group(1)), -1)
        return _ended(rank, size, int(pid.group(1)), number, 0 < number < 32)
    other = re.search(
        r"rank (\d+) with PID (\d+) on node \S+ (?:exited|calling).*?signal (\d+)", said, re.S
    ) or re.search(r"\[\S+?,(\d+)\]()[\s\S]*?(?:Exit code|signal):?\s*(\d+)", said)
    if other is None:
        return None
    rank, number = int(other.group(1)), int(other.group(3))
    pid_there = processes.get(rank, {}).get("pid", 0)
    return _ended(rank, size, pid_there, number, "signal" in other.group(0))


def _ended(rank: int, size: int, pid: int, number: int, by_signal: bool) -> Failure:
    if by_signal:
        name = signal.Signals(number).name
        text = f"process {pid} was killed by signal {number} ({name})"
        return Failure(rank, size, pid, text, False, number)
    return Failure(rank, size, pid, f"process {pid} ended with exit code {number}", False)


def _is_there(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as opened:
            return opened.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _gone_since(folder: str, rank: int) -> float:
    """When a rank was first found gone."""
    mark = os.path.join(folder, f"{rank}.gone")
    if not os.path.exists(mark):
        Path(mark).touch()
    return os.path.getmtime(mark)


def table(folder: str, size: int) -> str:
    """Each rank's steps and waiting, and which one the others wait for."""
    beats = read(folder, "beat")
    lines = ["rank    steps  collectives  waiting  now"]
    for rank in range(size):
        beat = beats.get(rank)
        if beat is None:
            lines.append(f"{rank:4}        -            -        -  (no word yet)")
            continue
        share = beat["waiting"] / max(beat["seconds"], 1e-9)
        late = f", silent for {quiet:.0f} s" if (quiet := time.time() - beat["time"]) > 5 else ""
        doing = f"waits in {beat['in']}" if beat["in"] else "computes"
        lines.append(f"{rank:4} {beat['steps']:8} {beat['calls']:12} {share:8.0%}  {doing}{late}")
    busy = [r for r, b in beats.items() if not b["in"]]
    if len(beats) == size > 1 and len(busy) == 1:
        lines.append(f"rank {busy[0]} computes while all others wait for it")
    return "\n".join(lines)
