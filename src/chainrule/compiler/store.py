"""Machine code kept on disk: entries that other processes of the same user wrote.

An entry starts with a digest of its contents, so a damaged file is compiled again.  Entries are
believed only if they belong to this user; nothing here raises when the disk does not serve.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

_DIGEST_BYTES = 32


def folder() -> Path:
    """CHAINRULE_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get("CHAINRULE_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "chainrule"


def _path(key: str) -> Path:
    return folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.o"


def read(key: str) -> bytes | None:
    """The code that was written under this key, or None."""
    try:
        path = _path(key)
        if hasattr(os, "getuid") and path.stat().st_uid != os.getuid():
            return None
        entry = path.read_bytes()
    except OSError:
        return None
    code = entry[_DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == entry[:_DIGEST_BYTES] else None


def write(key: str, code: bytes) -> None:
    """Keep the code; readers see all of it or nothing."""
    try:
        path = _path(key)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(temporary, path)
    except OSError:
        return
