"""Machine code kept on disk: entries that other processes of the same user wrote.

An entry starts with a digest of its contents, so a damaged file is compiled again.  Entries are
believed only if they belong to this user; nothing here raises when the disk does not serve.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

_DIGEST_BYTES = 32


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
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "chainrule")


def _path(key: str) -> str:
    return os.path.join(folder(), f"{sha256(key.encode()).hexdigest()}.o")


def read(key: str) -> bytes | None:
    """The code that was written under this key, or None."""
    try:
        with open(_path(key), "rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            entry = file.read()
    except OSError:
        return None
    code = entry[_DIGEST_BYTES:]
    return code if sha256(code).digest() == entry[:_DIGEST_BYTES] else None


def write(key: str, code: bytes) -> None:
    """Keep the code; readers see all of it or nothing."""
    temporary = ""
    try:
        path = _path(key)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        temporary = f"{path}.{os.getpid()}.{os.urandom(8).hex()}"
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(sha256(code).digest() + code)
        os.replace(temporary, path)
    except OSError:
        if temporary:
            _remove(temporary)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
