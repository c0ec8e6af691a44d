"""Folders that live as long as a process: the next one removes those of processes that were killed.

Each has a file that its process holds a lock of; the system gives up the lock with the process,
however that ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time

try:
    import fcntl
except ImportError:  # no POSIX: nobody can tell who is still there
    fcntl = None  # type: ignore[assignment]

_OWNER = "owner"  # the file in each folder that its process holds a lock of
_MAKING_SECONDS = 600.0  # no process takes that long from a folder to its lock
_owned: dict[str, int] = {}


def make(prefix: str, parent: str | None = None) -> str:
    """A new folder for this user alone; abandoned ones of the prefix beside it are removed."""
    parent = tempfile.gettempdir() if parent is None else parent
    if fcntl is None:
        return tempfile.mkdtemp(prefix=prefix, dir=parent)
    remove_abandoned(prefix, parent)
    folder = tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=parent)
    new, owner = (os.path.join(folder, name) for name in (f"{_OWNER}.new", _OWNER))
    _owned[folder] = os.open(new, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(_owned[folder], fcntl.LOCK_EX)  # until this process and its forks are gone
    os.rename(new, owner)  # never there without its lock: others would take it for abandoned
    return folder


def remove(folder: str) -> None:
    """Remove a folder that this process made."""
    shutil.rmtree(folder, ignore_errors=True)
    handle = _owned.pop(folder, None)
    if handle is not None:
        os.close(handle)


def remove_abandoned(prefix: str, parent: str) -> None:
    """Remove this user's folders whose processes were killed: nobody holds their lock."""
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                mine = entry.name.startswith(prefix) and about.st_uid == os.getuid()
                if mine and stat.S_ISDIR(about.st_mode) and _is_abandoned(entry.path, about):
                    shutil.rmtree(entry.path, ignore_errors=True)


def _is_abandoned(folder: str, about: os.stat_result) -> bool:
    assert fcntl is not None
    try:
        handle = os.open(os.path.join(folder, _OWNER), os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:  # it is being made, or its process was killed while it was
        return about.st_mtime < time.time() - _MAKING_SECONDS
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


__all__ = ["make", "remove", "remove_abandoned"]
