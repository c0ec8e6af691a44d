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
import struct
from typing import Any

from ... import owned_folders

INLINE_BYTES = 1 << 15  # below this a pipe is cheaper than a file
_ALIGNMENT = 64
_counter = itertools.count()


def make_folder() -> str:
    """A new folder for batches on their way: in shared memory where there is such a place."""
    shared = "/dev/shm"
    if os.path.isdir(shared) and os.access(shared, os.W_OK):
        return owned_folders.make("chainrule-", shared)
    return owned_folders.make("chainrule-loader-")


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
