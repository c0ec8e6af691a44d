"""A lock between processes: a file that one of them creates."""

from __future__ import annotations

import os
import time

from ..autograd.source import warn_user


class FileBaton:
    """Whoever creates the file has the baton; others wait until it is gone.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "lock")
    >>> first, second = FileBaton(path), FileBaton(path)
    >>> first.try_acquire(), second.try_acquire()
    (True, False)
    >>> first.release()
    >>> second.try_acquire()
    True
    >>> second.release()
    """

    def __init__(
        self,
        lock_file_path: str,
        wait_seconds: float = 0.1,
        warn_after_seconds: float | None = None,
    ) -> None:
        self.lock_file_path = lock_file_path
        self.wait_seconds = wait_seconds
        self.warn_after_seconds = warn_after_seconds
        self.fd: int | None = None

    def try_acquire(self) -> bool:
        """Take the baton if it is free."""
        try:
            self.fd = os.open(self.lock_file_path, os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        return True

    def wait(self) -> None:
        """Wait until the baton is free; it is not taken."""
        began, warned = time.monotonic(), False
        while os.path.exists(self.lock_file_path):
            time.sleep(self.wait_seconds)
            late = self.warn_after_seconds
            if late is not None and not warned and time.monotonic() - began > late:
                warn_user(
                    f"Waited on lock file '{self.lock_file_path}' for {late} seconds. Remove it if "
                    "its process is gone.",
                )
                warned = True

    def release(self) -> None:
        """Give the baton up."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
        os.remove(self.lock_file_path)
