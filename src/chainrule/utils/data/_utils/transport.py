"""Batches from process to process: small ones through the pipe, large ones through shared memory.

Arrays are pickled apart from the rest (protocol 5). When they are large, the sender writes them
into one file of a folder in shared memory and sends its name; the receiver maps the file, removes
its name at once and builds the arrays on it, without a copy. The memory is freed with the last
array. Whoever made the folder removes it, with what a killed process may have left in it.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import pickle
import shutil
import stat
import struct
import tempfile
import time
from typing import Any

try:
    import fcntl
except ImportError:  # no POSIX: there is no shared folder either
    fcntl = None  # type: ignore[assignment]

INLINE_BYTES = 1 << 15  # below this a pipe is cheaper than a file
_ALIGNMENT = 64
_PREFIX = "chainrule-"
_OWNER = "owner"  # a file in each folder that its process holds a lock of
_MAKING_SECONDS = 600.0  # no process takes that long from a folder to its lock
_owned: dict[str, int] = {}
_counter = itertools.count()


def make_folder() -> str:
    """A new folder for batches on their way: in shared memory where there is such a place."""
    shared = "/dev/shm"
    parent = shared if os.path.isdir(shared) and os.access(shared, os.W_OK) else None
    if parent is not None and fcntl is not None:
        _remove_abandoned(parent)
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=parent)
    if fcntl is not None:
        new, owner = (os.path.join(folder, name) for name in (f"{_OWNER}.new", _OWNER))
        _owned[folder] = os.open(new, os.O_CREAT | os.O_RDWR, 0o600)
        fcntl.flock(_owned[folder], fcntl.LOCK_EX)  # until this process and its workers are gone
        os.rename(new, owner)  # never there without its lock: others would take it for abandoned
    return folder


def remove_folder(folder: str) -> None:
    """Remove a folder that this process made."""
    shutil.rmtree(folder, ignore_errors=True)
    handle = _owned.pop(folder, None)
    if handle is not None:
        os.close(handle)


def _remove_abandoned(parent: str) -> None:
    """Remove this user's folders whose processes were killed: nobody holds their lock."""
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                mine = entry.name.startswith(_PREFIX) and about.st_uid == os.getuid()
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


def pack(message: Any, folder: str | None) -> bytes:
    """What `unpack` turns into the message again, in another process."""
    buffers: list[Any] = []
    text = pickle.dumps(message, 5, buffer_callback=buffers.append)
    parts = [buffer.raw() for buffer in buffers]
    sizes = [len(part) for part in parts]
    name = None
    if folder is not None and sum(sizes) >= INLINE_BYTES:
        name = _write(parts, folder)
    head = pickle.dumps((len(text), sizes, name))
    inline = [] if name is not None else [_padded(part) for part in parts]
    return b"".join([struct.pack("<I", len(head)), head, text, *inline])


def _padded(part: Any) -> bytes:
    return bytes(part) + b"\0" * (-len(part) % _ALIGNMENT)


def _write(parts: list[Any], folder: str) -> str | None:
    """The arrays in a new file; None when there is no room for it."""
    path = os.path.join(folder, f"{os.getpid()}-{next(_counter)}")
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        # Written, not mapped: a full file system then gives an error instead of a signal.
        with os.fdopen(handle, "wb", buffering=0) as file:
            for part in parts:
                for piece in (part, b"\0" * (-len(part) % _ALIGNMENT)):
                    while len(piece):
                        piece = piece[file.write(piece) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(path)
        return None
    return path


def unpack(data: bytes) -> Any:
    """The message; its arrays lie on the shared memory and can be written to."""
    (length,) = struct.unpack_from("<I", data)
    start = 4 + length
    text_length, sizes, path = pickle.loads(data[4:start])
    text = data[start : start + text_length]
    if path is None:
        memory = memoryview(bytearray(data[start + text_length :]))
    else:
        memory = memoryview(_mapped(path))
    buffers = []
    position = 0
    for size in sizes:
        buffers.append(memory[position : position + size])
        position += size + -size % _ALIGNMENT
    return pickle.loads(text, buffers=buffers)


def _mapped(path: str) -> mmap.mmap:
    handle = os.open(path, os.O_RDWR)
    try:
        return mmap.mmap(handle, 0)
    finally:
        os.close(handle)
        os.unlink(path)
