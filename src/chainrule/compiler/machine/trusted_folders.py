"""Folders that nobody but this user (and root) can change: only there is machine code believed."""

from __future__ import annotations

import os
import stat

from ...autograd.printable import printable

_MOST_LINKS = 40
_said: set[str] = set()


def trusted(path: str) -> str | None:
    """The real place of a folder if it is the user's own, all the way up from it.

    None when it is not there, or when somebody else could change what is found there: that is said
    once. Links are followed only if the user or root made them.
    """
    if not os.path.isabs(path):
        return _refused(path, "it is not an absolute path")
    if not hasattr(os, "getuid"):  # Windows: the folders of a user are the user's own
        return path if os.path.isdir(path) else None
    try:
        return _walked(path)
    except FileNotFoundError:
        return None
    except OSError as problem:
        return _refused(path, problem.strerror or "it cannot be read")


def make(path: str) -> None:
    """Make a folder and those above it that are missing, for this user alone.

    Nothing is made below a folder that somebody else could change.
    """
    if os.path.isabs(path) and not os.path.isdir(path):
        above = os.path.dirname(path)
        make(above)
        if not os.path.isdir(above):
            return
        problem = _followed(above)[1] if hasattr(os, "getuid") else None
        if problem is not None:
            _refused(path, problem)
            return
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            return


def _walked(path: str) -> str | None:
    here, problem, about = _followed(path)
    if problem is None and not stat.S_ISDIR(about.st_mode):
        problem = "it is not a folder"
    if problem is None and (about.st_uid != os.getuid() or _others_write(about)):
        problem = "it does not belong to this user alone"
    return here if problem is None else _refused(path, problem)


def _followed(path: str) -> tuple[str, str | None, os.stat_result]:
    """Go down from the root, one name at a time, looking at who could change each.

    Returns the place, what is wrong with the way there, and what is known of the place.
    """
    waiting = [part for part in reversed(path.split(os.sep)) if part]
    here, links = os.sep, 0
    about = os.lstat(here)
    problem = _problem(about, here)
    while waiting and problem is None:
        name = waiting.pop()
        if name == os.curdir:
            continue
        if name == os.pardir:
            here = os.path.dirname(here)
            about = os.lstat(here)
            continue
        there = os.path.join(here, name)
        about = os.lstat(there)
        if stat.S_ISLNK(about.st_mode):
            links += 1
            target = os.readlink(there)
            if about.st_uid not in (0, os.getuid()):
                problem = f"the link {there} belongs to somebody else"
            elif links > _MOST_LINKS:
                problem = "its links lead to one another"
            here = os.sep if os.path.isabs(target) else here
            waiting += [part for part in reversed(target.split(os.sep)) if part]
            continue
        here, problem = there, _problem(about, there)
    return here, problem, about


def _problem(about: os.stat_result, place: str) -> str | None:
    """Why names in a folder above could be somebody else's doing."""
    if about.st_uid not in (0, os.getuid()):
        return f"{place} belongs to somebody else"
    # With the sticky bit (/tmp) others can add names, but not replace those of this user.
    if _others_write(about) and not about.st_mode & stat.S_ISVTX:
        return f"others can write to {place}"
    return None


def _others_write(about: os.stat_result) -> bool:
    if about.st_mode & stat.S_IWOTH:
        return True
    return bool(about.st_mode & stat.S_IWGRP) and not _own_group(about.st_gid)


def _own_group(number: int) -> bool:
    """Whether a group is the one that many systems make for each user, with nobody else in it."""
    if number == 0:
        return os.getuid() == 0
    try:
        import grp
        import pwd

        group, user = grp.getgrgid(number), pwd.getpwuid(os.getuid())
    except (ImportError, KeyError):
        return False
    return group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _refused(path: str, why: str) -> None:
    """Say once that there is no cache, and why."""
    if path not in _said:
        import logging

        _said.add(path)
        logging.getLogger("chainrule").warning(
            "machine code is not kept on disk: the folder %s is not trusted: %s. Fix: set "
            "CHAINRULE_CACHE_DIR to a folder of yours that nobody else can write to, with the "
            "folders above it.", printable(path), printable(why),
        )  # fmt: skip
