"""What ranks tell their launcher through a folder, and what it makes of it."""

from __future__ import annotations

import json
import os
import re
import select
import signal
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


class Ends:
    """In which order the ranks of this machine end.

    mpiexec ends the others as soon as one has ended, and may then name one of these. What waits
    for several ends is told of them in their order, however late it looks.
    """

    def __init__(self) -> None:
        self.order: list[int] = []
        self._ranks: dict[int, int] = {}  # by descriptor
        self._seen: set[int] = set()
        self._waiting = select.epoll() if hasattr(os, "pidfd_open") else None

    def look(self, folder: str) -> list[int]:
        """The ranks that have ended, in order."""
        if self._waiting is None:
            return self.order
        for rank, process in sorted(ranks_of(folder).items()):
            if rank not in self._seen:
                self._seen.add(rank)
                self._follow(rank, process["pid"])
        for descriptor, _ in self._waiting.poll(0):
            self._waiting.unregister(descriptor)
            os.close(descriptor)
            self.order.append(self._ranks.pop(descriptor))
        return self.order

    def _follow(self, rank: int, pid: int) -> None:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            self.order.append(rank)
        except OSError:
            return  # a process of another machine, or a system that does not tell
        else:
            self._ranks[descriptor] = rank
            assert self._waiting is not None
            self._waiting.register(descriptor, select.EPOLLIN)

    def close(self) -> None:
        """Follow no rank any longer."""
        for descriptor in self._ranks:
            os.close(descriptor)
        self._ranks.clear()
        if self._waiting is not None:
            self._waiting.close()


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
