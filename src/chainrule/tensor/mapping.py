"""Files as memory: `from_file`."""

from __future__ import annotations

import errno
import operator
import os
import stat
from typing import Any, BinaryIO

import numpy as np

from ..autograd import refusal

_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def mapped_bytes(filename: Any, shared: bool | None, count: int) -> np.ndarray:
    """The first bytes of a file as memory; a shared file is made or lengthened as needed."""
    count = operator.index(count)
    if not 0 <= count < 1 << 63:
        raise refusal.runtime(
            f"unable to mmap {count} bytes from file <{filename}>", fix="a size of 0 or more."
        )
    with _opened(filename, bool(shared)) as file:
        have = os.fstat(file.fileno()).st_size
        if have < count and not shared:
            raise refusal.runtime(
                f"unable to mmap {count} bytes: file <{filename}> size <{have}> is smaller than "
                f"the required mapping size <{count}>",
                fix="a smaller size, or shared=True to lengthen the file.",
            )
        if not count:
            return np.empty(0, np.uint8)
        if have < count:
            _lengthen(file.fileno(), filename, have, count)
        try:
            memory = np.memmap(file, np.uint8, "r+" if shared else "c", shape=(count,))
        except (OSError, ValueError, OverflowError) as problem:
            raise refusal.runtime(
                f"unable to mmap {count} bytes from file <{filename}>: {problem}"
            ) from None
    return np.frombuffer(memory, np.uint8)


def _opened(filename: Any, shared: bool) -> BinaryIO:
    flags = os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY
    try:
        handle = os.open(filename, flags | _NEVER_WAIT, 0o666)
    except OSError as problem:
        raise refusal.runtime(
            f"unable to open file <{filename}> in {'read-write' if shared else 'read-only'} mode: "
            f"{problem.strerror} ({problem.errno})"
        ) from None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "r+b" if shared else "rb")
    os.close(handle)
    raise refusal.runtime(
        f"unable to mmap file <{filename}>: it is a folder, a pipe or a device, not a file"
    )


def _lengthen(handle: int, filename: Any, have: int, count: int) -> None:
    """Give a file its bytes on the disk now: memory on bytes that are not there ends the process.

    Where there is no room for them, the file stays as it was.
    """
    try:
        if hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(handle, have, count - have)
            except OSError as problem:
                if problem.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                    raise
        os.ftruncate(handle, count)
    except OSError as problem:
        os.ftruncate(handle, have)
        raise refusal.runtime(
            f"unable to resize file <{filename}> to the right size: {problem.strerror} "
            f"({problem.errno}); it would have {count} bytes"
        ) from None
