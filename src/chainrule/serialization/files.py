"""Files that are either the old one or the new one, never something in between."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

from ..autograd import refusal


def is_path(f: Any) -> bool:
    """Whether f names a file (a string or a path) instead of being one."""
    return isinstance(f, str | os.PathLike)


def name_of(f: Any) -> str:
    """How errors call the file."""
    if is_path(f):
        return repr(os.fspath(f))
    name = getattr(f, "name", None)
    return repr(name) if isinstance(name, str) else f"a {type(f).__name__} object"


def open_regular(f: Any) -> BinaryIO:
    """A named file to read. Pipes and devices are refused: they cannot be read twice, or end."""
    handle = os.open(f, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(
                errno.EISDIR, f"{os.strerror(errno.EISDIR)}; load needs a file", os.fspath(f)
            )
        if not stat.S_ISREG(mode):
            raise OSError(
                errno.ESPIPE,
                "load needs a file, and this is a pipe, a socket or a device. Fix: read it into "
                "an io.BytesIO and load that",
                os.fspath(f),
            )
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


@contextlib.contextmanager
def writing(f: Any) -> Iterator[BinaryIO]:
    """Somewhere to write: a path's file is replaced as a whole at the end, an object is used."""
    if not is_path(f):
        if not hasattr(f, "write"):
            raise refusal.of_kind(
                AttributeError,
                "expected 'f' to be string, path, or a file-like object with a 'write' attribute, "
                f"got {type(f).__name__}",
            )
        yield f
        return
    target = os.path.realpath(f)  # through a link: the file it leads to is replaced, not the link
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise refusal.runtime(
            f"Parent directory {folder} does not exist.",
            f"save to {name_of(f)}",
            fix=f"os.makedirs({folder!r}, exist_ok=True) first.",
        )
    if os.path.isdir(target):
        raise refusal.of_kind(
            IsADirectoryError, f"{name_of(f)} is a directory", "save", fix="name a file in it."
        )
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:  # a pipe or /dev/null cannot be replaced
            yield device
        return
    with _replacing(target, folder) as made:
        yield made


def write_text(path: Any, text: str) -> None:
    """Write a report, as a whole."""
    write_bytes(path, text.encode("utf-8", "backslashreplace"))


def write_bytes(path: Any, data: bytes) -> None:
    """Write a file; what was there before stays until all of it is on the disk."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:  # a pipe or /dev/null cannot be replaced
            device.write(data)
        return
    with _replacing(target, os.path.dirname(target)) as made:
        made.write(data)


_UNFINISHED = ".chainrule.tmp"
_ABANDONED = 600  # seconds without a write after which an unfinished file has lost its writer


@contextlib.contextmanager
def _replacing(target: str, folder: str) -> Iterator[BinaryIO]:
    """A new file in the same folder that takes the target's name once it is safely on disk."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(
            f".{os.getpid()}{_UNFINISHED}", f".{os.path.basename(target)[:60]}.", folder
        )
        with os.fdopen(handle, "wb") as made:
            _lock(made)
            yield made
            made.flush()
            os.fchmod(made.fileno(), _mode_for(target))
            os.fsync(made.fileno())
            os.replace(temporary, target)
    except BaseException as problem:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        unnamed = getattr(problem, "filename", None) is None
        if isinstance(problem, OSError) and (unnamed or _UNFINISHED in str(problem.filename)):
            raise _named(problem, target) from None
        raise
    _sync_folder(folder)
    _sweep(folder)


def _named(problem: OSError, target: str) -> OSError:
    """An error of the disk that says which file was not written."""
    kept = "; the file of this name that was there is unchanged" if os.path.exists(target) else ""
    return type(problem)(problem.errno, f"{problem.strerror}: nothing was saved{kept}", target)


def _lock(file: BinaryIO) -> bool:
    """Mark a file as being written, until it is closed; False when somebody else does."""
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return True
    except OSError as problem:
        return problem.errno not in (errno.EWOULDBLOCK, errno.EACCES)
    return True


def _sweep(folder: str) -> None:
    """Remove the unfinished files of writers that were killed."""
    oldest = time.time() - _ABANDONED
    with contextlib.suppress(OSError), os.scandir(folder) as found:
        for entry in found:
            if not entry.name.endswith(_UNFINISHED) or not entry.is_file(follow_symlinks=False):
                continue
            if entry.stat(follow_symlinks=False).st_mtime < oldest:
                with contextlib.suppress(OSError), open(entry.path, "rb") as file:
                    if _lock(file):
                        os.unlink(entry.path)


def _mode_for(target: str) -> int:
    """The permissions of the file that is replaced, or those a new file gets."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _sync_folder(folder: str) -> None:
    """Make the new name itself survive a power cut; not every file system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
