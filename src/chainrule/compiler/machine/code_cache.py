"""Machine code kept on disk: entries that other processes of the same user wrote.

An entry starts with a digest of its key and contents, so a damaged file is compiled again.  Entries
are believed only if they belong to this user and lie where nobody else can put any; nothing here
raises when the disk does not serve.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from typing import Any

from . import trusted_folders

_DIGEST_BYTES = 32
_LARGEST = 256 << 20  # bytes on disk
_ABANDONED = 600  # seconds after which an unfinished entry has lost its writer
_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_swept: set[str] = set()  # folders that this process has looked through for unfinished entries


def _find_sha256() -> Callable[[bytes], Any]:
    """SHA-256 of the interpreter itself: hashlib would load OpenSSL, as long as all else here."""
    for home in ("_sha256", "_sha2"):
        try:
            return __import__(home).sha256
        except (ImportError, AttributeError):
            continue
    from hashlib import sha256

    return sha256


sha256 = _find_sha256()


def folder() -> str:
    """CHAINRULE_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get("CHAINRULE_CACHE_DIR")
    if chosen:
        return chosen
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the standard says to ignore it then
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "chainrule")


def _name(key: str) -> str:
    return f"{sha256(key.encode()).hexdigest()}.o"


def read(key: str) -> bytes | None:
    """The code that was written under this key, or None."""
    where = trusted_folders.trusted(folder())
    if where is None:
        return None
    try:
        handle = os.open(os.path.join(where, _name(key)), _WITHOUT_WAITING | _BINARY)
        with os.fdopen(handle, "rb") as file:
            if not _only_ours(os.fstat(file.fileno())):
                return None
            entry = file.read()
    except OSError:
        return None
    code = entry[_DIGEST_BYTES:]
    return code if _digest(key, code) == entry[:_DIGEST_BYTES] else None


def _only_ours(about: os.stat_result) -> bool:
    """Whether nobody else can have written a file: digests are no signatures."""
    if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
        return False
    if not hasattr(os, "getuid"):
        return True
    return about.st_uid == os.getuid() and not about.st_mode & 0o022


def _digest(key: str, code: bytes) -> bytes:
    """Of the key too: an entry that was moved to another place is not that place's."""
    return sha256(sha256(key.encode()).digest() + code).digest()


def write(key: str, code: bytes) -> None:
    """Keep the code; readers see all of it or nothing."""
    temporary = ""
    try:
        trusted_folders.make(folder())
        where = trusted_folders.trusted(folder())
        if where is None:
            return
        path = os.path.join(where, _name(key))
        temporary = f"{path}.{os.getpid()}.{os.urandom(8).hex()}"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(_digest(key, code) + code)
        os.replace(temporary, path)
        if where not in _swept:
            _swept.add(where)
            _sweep(where)
        if code and temporary.endswith("00"):  # now and then
            _trim(where)
    except OSError:
        if temporary:
            _remove(temporary)


def _sweep(where: str) -> None:
    """Remove what killed writers have left behind."""
    oldest = time.time() - _ABANDONED
    with os.scandir(where) as found:
        for entry in found:
            if ".o." in entry.name and entry.stat(follow_symlinks=False).st_mtime < oldest:
                _remove(entry.path)


def _trim(where: str) -> None:
    """Remove the entries that were not read for longest when there are too many bytes of them."""
    _sweep(where)
    entries = []
    with os.scandir(where) as found:
        for entry in found:
            if entry.name.endswith(".o"):
                about = entry.stat()
                entries.append((max(about.st_atime, about.st_mtime), about.st_size, entry.path))
    total = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if total <= _LARGEST:
            return
        _remove(path)
        total -= size


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
