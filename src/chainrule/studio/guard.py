"""Who may ask the studio's server: its own page, on this machine, with its token."""

from __future__ import annotations

import hmac
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from .programs import ProgramError, read_program

HEADER = "X-Studio-Token"
MOST_BYTES = 8 << 20  # of one request
_NAME = re.compile(r"\w[\w. -]{0,120}\.py")


class Refused(Exception):
    """A request that is not answered: the status and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Guard:
    """The token of one server and the checks of every request to it."""

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(24)
        self._tickets: set[str] = set()
        self.hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    def check_sender(self, headers: Mapping[str, str]) -> None:
        """Refuse names that only lead here by a trick, and pages of other sites.

        A site can let its own name resolve to 127.0.0.1; the browser then takes this server for
        the site. The Host header still has the site's name.
        """
        host = headers.get("Host", "")
        if host not in self.hosts:
            raise Refused(403, f"this server is not {host!r}")
        origin = headers.get("Origin")
        if origin is not None and origin not in {f"http://{h}" for h in self.hosts}:
            raise Refused(403, f"pages of {origin!r} may not ask this server")
        if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            raise Refused(403, "another site's page may not ask this server")

    def check_token(self, given: str) -> None:
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            raise Refused(403, "the token is missing or wrong: use the address that was printed")

    def new_ticket(self) -> str:
        """A word that is good for one request of the page."""
        made = secrets.token_urlsafe(24)
        self._tickets.add(made)
        return made

    def take_ticket(self, given: str) -> None:
        try:
            self._tickets.remove(given)
        except KeyError:
            raise Refused(
                403, "this address was good for one time: use the one that was printed"
            ) from None


def plain_name(name: object) -> str:
    """The name of a Python file; anything that could lead elsewhere is refused."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or ".." in name:
        raise Refused(400, f"{name!r} is not the plain name of a Python file")
    return name


def beside(folder: Path, asked: object) -> Path:
    """A Python file of a folder by its plain name."""
    name = plain_name(asked)
    path = folder / name
    if os.path.realpath(path) != os.path.join(os.path.realpath(folder), name):
        raise Refused(400, f"{name} leads out of its folder")
    if not path.is_file():
        raise Refused(404, f"there is no {name} in the folder")
    return path


def text_of(path: Path) -> str:
    """The program in a file."""
    if path.stat().st_size > MOST_BYTES:
        raise Refused(413, f"{path.name} is larger than {MOST_BYTES:,} bytes")
    try:
        return read_program(path)
    except ProgramError as problem:
        raise Refused(400, str(problem)) from None


def whole(value: object) -> int:
    """A whole number of a request."""
    if type(value) is not int:
        raise Refused(400, f"{value!r:.100} is no whole number")
    return value


__all__ = ["HEADER", "MOST_BYTES", "Guard", "Refused", "beside", "plain_name", "text_of", "whole"]
