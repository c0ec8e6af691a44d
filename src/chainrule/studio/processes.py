"""The processes that a page's program starts: counted, limited, and ended with it (on Linux).

Elsewhere a program is ended with its group of processes alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

MOST_PROCESSES = 64
ROOM_FOR_TASKS = 1024  # more than there are on the machine when a program starts
_ROUNDS = 20  # looks for what was started while the others were being stopped
_SET_CHILD_SUBREAPER = 36  # of <linux/prctl.h>
_LINUX = sys.platform == "linux"


def adopt_orphans() -> None:
    """Stay the ancestor of everything that this process starts, also of daemons."""
    if _LINUX:
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit_processes() -> None:
    """Refuse the user's programs more tasks than this; the system asks that of no superuser."""
    tasks = count_tasks()
    if not tasks:
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NPROC)
    wanted = tasks + ROOM_FOR_TASKS
    if most != resource.RLIM_INFINITY:
        wanted = min(wanted, most)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NPROC, (wanted, wanted))


def count_tasks() -> int:
    """Tasks on the whole machine, at the price of one small file; 0 where that is unknown."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def descendants(pid: int) -> list[int]:
    """What a process started, and what that started; without those that have ended."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if _LINUX else ():
        if not name.isdigit():
            continue
        try:
            state, parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it ended meanwhile
        if state not in "ZX":
            children.setdefault(int(parent), []).append(int(name))
    found, look = [], [pid]
    while look:
        more = children.get(look.pop(), [])
        found += more
        look += more
    return found


def memory_of(pids: list[int]) -> int:
    """Bytes that processes hold together; what they share counts once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) << 10
    return total


def end_all(pid: int) -> None:
    """Kill a process that leads its group, and all that it started, in groups of their own too.

    All are stopped before the first is killed: an orphan would be nobody's descendant, and what
    runs could start others.
    """
    stopped: set[int] = set()
    if pid != os.getpid():
        _signal_group(pid, signal.SIGSTOP)
    for _ in range(_ROUNDS):
        new = set(descendants(pid)) - stopped
        if not new:
            break
        for other in new:
            _signal(other, signal.SIGSTOP)
        stopped |= new
    for other in stopped:
        _signal(other, signal.SIGKILL)
    _signal_group(pid, signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _signal_group(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


__all__ = [
    "MOST_PROCESSES",
    "adopt_orphans",
    "count_tasks",
    "descendants",
    "end_all",
    "limit_processes",
    "memory_of",
]
