"""A CSV file of the user's as data to train on: the last column is the target."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from ..programs import ProgramError

MOST_ROWS, MOST_CELLS = 2000, 100_000
MOST_CLASSES = 10


@dataclass(frozen=True)
class Table:
    """Rows of numbers, scaled; a target each; the names of the classes, if targets are classes."""

    rows: list[list[float]]
    targets: list[float]
    names: list[str]


def read_csv(text: str) -> Table:
    """Columns are scaled to mean 0 and spread 1.

    Words, or whole numbers of at most ten values, are classes. Semicolons and tabs part cells as
    commas do; then decimals may have a comma.
    """
    lines = _lines(text)
    if lines and _is_head(lines):
        lines = lines[1:]
    if len(lines) < 4 or len(lines) > MOST_ROWS:
        raise ProgramError(f"the CSV needs 4 to {MOST_ROWS:,} rows of numbers, it has {len(lines)}")
    width, words = len(lines[0][1]), _are_words([cells[-1] for _, cells in lines])
    if width * len(lines) > MOST_CELLS:
        raise ProgramError(f"the CSV has {width:,} columns in {len(lines):,} rows; it may have "
                           f"{MOST_CELLS:,} cells")  # fmt: skip
    for line, cells in lines:
        numbers = cells[:-1] if words else cells
        if len(cells) != width or width < 2 or not all(map(_is_number, numbers)):
            raise ProgramError(
                f"row {line} of the CSV is {','.join(cells)[:80]!r}: every row needs the same two "
                "or more numbers, the last one is the target (a number, or a word in all rows)"
            )
    columns = zip(*([float(c) for c in cells[:-1]] for _, cells in lines), strict=True)
    rows = [list(r) for r in zip(*map(_scaled, columns), strict=True)]
    targets, names = _targets([cells[-1] for _, cells in lines], words)
    return Table(rows, targets, names)


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """(number, cells) of every line that is not empty."""
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    first = text.partition("\n")[0]
    mark = max(",;\t", key=first.count)
    found, reader = [], csv.reader(io.StringIO(text, newline=""), delimiter=mark)
    try:
        for row in reader:
            cells = [c.strip() if mark == "," else c.strip().replace(",", ".") for c in row]
            if any(cells):
                found.append((reader.line_num, cells))
            if len(found) > 2 * MOST_ROWS:
                break
    except csv.Error as problem:
        raise ProgramError(f"the file is no CSV that can be read: {problem}") from None
    return found


def _is_head(lines: list[tuple[int, list[str]]]) -> bool:
    """Whether the first line has the names of the columns."""
    first, rest = lines[0][1], [cells[-1] for _, cells in lines[1:]]
    if not all(map(_is_number, first[:-1])):
        return True
    return not _is_number(first[-1]) and bool(rest) and all(map(_is_number, rest))


def _are_words(cells: list[str]) -> bool:
    return all(cell and not _is_number(cell) for cell in cells)


def _targets(cells: list[str], words: bool) -> tuple[list[float], list[str]]:
    """(targets, names of the classes, none where they are figures)."""
    if len(set(cells)) == 1:
        raise ProgramError(
            f"every target of the CSV is {cells[0]!r:.40}: there is nothing to learn"
        )
    if words:
        names = sorted(set(cells))
        if len(names) > MOST_CLASSES:
            raise ProgramError(f"the last column has {len(names)} different words; at most "
                               f"{MOST_CLASSES} classes can be told apart")  # fmt: skip
        return [float(names.index(c)) for c in cells], [n[:40] for n in names]
    figures = [float(c) for c in cells]
    values = sorted(set(figures))
    if len(values) > MOST_CLASSES or any(v != int(v) for v in values):
        return figures, []
    return [float(values.index(v)) for v in figures], [f"{v:.15g}" for v in values]


def _scaled(column: tuple[float, ...]) -> list[float]:
    mean = sum(column) / len(column)
    spread = (sum((v - mean) ** 2 for v in column) / len(column)) ** 0.5 or 1.0
    return [round((v - mean) / spread, 6) for v in column]


def _is_number(cell: str) -> bool:
    try:
        return abs(float(cell)) < 1e30
    except ValueError:
        return False


__all__ = ["Table", "read_csv"]
