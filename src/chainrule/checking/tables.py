"""Reports as plain text, or as rich tables where rich is installed and a terminal is attached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..autograd.printable import printable


@dataclass
class Section:
    """One table of a report, with sentences under it."""

    title: str
    headers: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Report:
    """Something that prints as sections: `print(report)` as text, `report.show()` in colour."""

    def sections(self) -> list[Section]:
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n\n".join(_plain(s) for s in self.sections())

    def show(self) -> None:
        """Print with rich when it is installed, else as plain text."""
        try:
            from rich.console import Console
        except ImportError:
            print(self)
            return
        console = Console()
        for section in self.sections():
            _rich(console, section)


def _plain(section: Section) -> str:
    lines = [section.title]
    if section.headers:
        lines += columns([section.headers, *section.rows])
    lines += [f"  {note}" for note in section.notes]
    return printable("\n".join(lines))


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned lines, a rule under the first; numbers to the right, words to the left."""
    count = len(rows[0])
    widths = [max(len(r[k]) for r in rows) for k in range(count)]
    right = [all(_is_number(r[k]) for r in rows[1:]) for k in range(count)]
    lines = []
    for r in rows:
        cells = [
            c.rjust(w) if to_right else c.ljust(w)
            for c, w, to_right in zip(r, widths, right, strict=True)
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    lines.insert(1, "  " + "  ".join("-" * w for w in widths))
    return lines


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "") or "0")
    except ValueError:
        return cell in ("", "-")
    return True


def _rich(console: Any, section: Section) -> None:
    from rich.table import Table
    from rich.text import Text

    if section.headers:
        table = Table(title=Text(printable(section.title)), title_justify="left")
        for k, header in enumerate(section.headers):
            numbers = all(_is_number(r[k]) for r in section.rows)
            table.add_column(Text(header), justify="right" if numbers else "left")
        for row in section.rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print(table)
    else:
        console.print(printable(section.title), style="bold", markup=False)
    for note in section.notes:
        console.print(f"  {printable(note)}", markup=False)


def number(value: Any, digits: int = 4) -> str:
    """A short number: 0.25, 1.2e-07, inf."""
    return f"{float(value):.{digits}g}"
