"""Lines of the user's own program: files of installed packages and of Python are passed over.

A position is stored as a code object and an instruction offset, which costs next to nothing;
file, line and text are looked up when a finding needs them.
"""

from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
from functools import lru_cache
from types import CodeType, FrameType

from ..autograd import source
from ..reading.source import place_of


def _roots() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    found = {paths[k] for k in ("stdlib", "platstdlib", "purelib", "platlib") if k in paths}
    return tuple(os.path.abspath(p) + os.sep for p in found)


_INSTALLED = _roots()


@lru_cache(maxsize=4096)
def is_users(filename: str) -> bool:
    """Whether a file is part of the user's program: not ours, not Python's, not installed."""
    if source.is_library(filename) or filename.startswith("<frozen"):
        return False
    return not filename.startswith(_INSTALLED)


class Position:
    """A place in a program."""

    __slots__ = ("code", "lasti")

    def __init__(self, code: CodeType | None, lasti: int) -> None:
        self.code = code
        self.lasti = lasti

    @property
    def file(self) -> str:
        return "" if self.code is None else self.code.co_filename

    @property
    def line(self) -> int:
        found = source.line_of(self.code, self.lasti)
        return 0 if found is None else found[1]

    @property
    def function(self) -> str:
        return "" if self.code is None else self.code.co_name

    @property
    def text(self) -> str:
        """The line itself, stripped."""
        return linecache.getline(self.file, self.line).strip() if self.code is not None else ""

    @property
    def target(self) -> str:
        """The variable that the statement assigns to, or ''."""
        return place_of(self.code, self.lasti).statement_target

    @property
    def short(self) -> str:
        return f"{os.path.basename(self.file)}:{self.line}" if self.code else "an unknown line"

    @property
    def is_users(self) -> bool:
        return self.code is not None and is_users(self.file)

    def is_beside(self, other: Position) -> bool:
        """Whether two lines belong to one function; the cells of a notebook are one together."""
        if self.code is None or other.code is None:
            return False
        return self.code is other.code or self.function == other.function == "<module>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.code is other.code and self.lasti == other.lasti

    def __hash__(self) -> int:
        return hash((id(self.code), self.lasti))

    def __repr__(self) -> str:
        return f"<{self.short}: {self.text}>"


class LinePosition(Position):
    """A line of a file that is known by its number only."""

    __slots__ = ("_file", "_line")

    def __init__(self, file: str, line: int) -> None:
        super().__init__(None, 0)
        self._file, self._line = file, line

    @property
    def file(self) -> str:
        return self._file

    @property
    def line(self) -> int:
        return self._line

    @property
    def text(self) -> str:
        return linecache.getline(self._file, self._line).strip()

    @property
    def target(self) -> str:
        return ""

    @property
    def short(self) -> str:
        return f"{os.path.basename(self._file)}:{self._line}"

    @property
    def is_users(self) -> bool:
        return is_users(self._file)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinePosition) and (self._file, self._line) == (
            other._file,
            other._line,
        )

    def __hash__(self) -> int:
        return hash((self._file, self._line))


NOWHERE = Position(None, 0)


def users_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame of the user's program; of any other program where there is none."""
    frame: FrameType | None = sys._getframe(depth)
    other = None
    while frame is not None:
        name = frame.f_code.co_filename
        if is_users(name):
            return frame
        if other is None and not source.is_library(name):
            other = frame
        frame = frame.f_back
    return other


def here(depth: int = 1) -> Position:
    """The user's line that is running."""
    frame = users_frame(depth + 1)
    return NOWHERE if frame is None else Position(frame.f_code, frame.f_lasti)


def stack(depth: int = 1, most: int = 8) -> tuple[Position, ...]:
    """The user's lines that are running, the innermost first."""
    found: list[Position] = []
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and len(found) < most:
        if is_users(frame.f_code.co_filename):
            found.append(Position(frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)


def assigned(value: object, depth: int = 1) -> Position | None:
    """The line `name = ...` of the running function that gave some value its name."""
    frame = users_frame(depth + 1)
    if frame is None:
        return None
    names = {name for name, x in list(frame.f_locals.items()) if x is value}
    try:
        tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    except (SyntaxError, ValueError):
        return None
    return _latest(tree, frame.f_code, frame.f_lineno, names)


def given_by(where: Position) -> Position | None:
    """The line of the same function that assigned last to a name which a line reads."""
    if where.code is None:
        return None
    try:
        tree = ast.parse("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return None
    read = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and node.lineno == where.line
    }
    return _latest(tree, where.code, where.line, read)


def _latest(tree: ast.Module, code: CodeType, before: int, names: set[str]) -> Position | None:
    """The latest line `name = ...` of a function before another line of it."""
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and code.co_firstlineno <= node.lineno < before
        for target in node.targets
        if isinstance(target, ast.Name) and target.id in names
    ]
    if not lines:
        return None
    found = LinePosition(code.co_filename, max(lines))
    found.code = code  # rules compare functions by it
    return found


def of_node(node: object) -> Position:
    """The line that recorded a node of the tape."""
    return Position(getattr(node, "code", None), getattr(node, "lasti", 0))


__all__ = [
    "NOWHERE",
    "LinePosition",
    "Position",
    "assigned",
    "given_by",
    "here",
    "is_users",
    "of_node",
    "stack",
    "users_frame",
]
