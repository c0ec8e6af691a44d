"""What ranks tell their launcher through a folder, and what it makes of it."""

from __future__ import annotations

import json
import os
import re
import signal
import time
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


def first_failure(folder: str, patience: float, said: str = "") -> Failure | None:
    """The rank that failed first: by its own word, by mpiexec's, or because it is gone."""
    processes = ranks_of(folder)
    size = max((p.get("size", 1) for p in processes.values()), default=1)
    errors = read(folder, "error")
    killed = _killed(processes, said, size)
    if errors:
        rank = min(errors, key=lambda r: errors[r]["time"])
        return Failure(rank, size, errors[rank]["pid"], errors[rank]["text"])
    if killed is not None:
        return killed
    left = read(folder, "left")
    gone = [r for r, p in processes.items() if r not in left and not _is_there(p["pid"])]
    since = {rank: _gone_since(folder, rank) for rank in gone}
    if not since or time.time() - min(since.values()) < patience:
        return None
    rank = min(since, key=lambda r: since[r])  # mpiexec ends the others soon afterwards
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
