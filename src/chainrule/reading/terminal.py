"""Tables and trees: coloured by rich in a terminal, plain text elsewhere.

Plain text is what `str(report)` gives and what a pipe or a log file gets; NO_COLOR is honoured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..autograd.printable import printable


@dataclass
class Table:
    """Rows under a head, with a title above and sentences below."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass
class Tree:
    """A line of text with lines under it."""

    text: str
    children: list[Tree] = field(default_factory=list)


@dataclass
class Text:
    """Sentences."""

    lines: list[str]


TIMES = "\N{MULTIPLICATION SIGN}"
Block = Table | Tree | Text


def is_number(cell: str) -> bool:
    """Whether a cell holds a number (with commas, a percent sign, a multiplication sign)."""
    cell = cell.replace(",", "").replace("%", "").replace(TIMES, "").strip()
    if cell in ("", "-"):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def colours() -> bool:
    """Whether to colour: a terminal is attached and NO_COLOR is not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def plain(blocks: Sequence[Block]) -> str:
    """The blocks as text."""
    return "\n\n".join(_plain_block(_seen(b)) for b in blocks)


def _seen(block: Block) -> Block:
    """The block with nothing in it that a terminal would obey."""
    if isinstance(block, Text):
        return Text([printable(line) for line in block.lines])
    if isinstance(block, Tree):
        return block  # its lines are looked at when they are drawn: trees can be deep
    rows = [tuple(map(_cell, row)) for row in block.rows]
    notes = [printable(note) for note in block.notes]
    return Table(printable(block.title), tuple(map(_cell, block.head)), rows, notes)


def _cell(text: str) -> str:
    return printable(text).replace("\n", "\\n")


def _plain_block(block: Block) -> str:
    if isinstance(block, Text):
        return "\n".join(block.lines)
    if isinstance(block, Tree):
        return "\n".join(tree_lines(block))
    lines = [block.title] if block.title else []
    if block.rows:
        lines += columns([block.head, *block.rows])
    return "\n".join([*lines, *(f"  {n}" for n in block.notes)])


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned lines with a rule under the first; numbers to the right."""
    count = range(len(rows[0]))
    widths = [max(len(r[k]) for r in rows) for k in count]
    right = [all(is_number(r[k]) for r in rows[1:]) for k in count]
    lines = []
    for r in rows:
        cells = [r[k].rjust(widths[k]) if right[k] else r[k].ljust(widths[k]) for k in count]
        lines.append(("  " + "  ".join(cells)).rstrip())
    lines.insert(1, "  " + "  ".join("-" * w for w in widths))
    return lines


def tree_lines(tree: Tree) -> list[str]:
    """A tree drawn with lines; iterative, so depth does not matter."""
    lines = [_cell(tree.text)]
    stack = [(child, "", k == len(tree.children) - 1) for k, child in enumerate(tree.children)][
        ::-1
    ]
    while stack:
        node, indent, last = stack.pop()
        lines.append(f"{indent}{'└── ' if last else '├── '}{_cell(node.text)}")
        below = indent + ("    " if last else "│   ")
        stack += [
            (child, below, k == len(node.children) - 1) for k, child in enumerate(node.children)
        ][::-1]
    return lines


def show(blocks: Sequence[Block]) -> None:
    """Print the blocks: by rich in a terminal where it is installed, else as text."""
    if not colours():
        print(plain(blocks))
        return
    try:
        from rich.console import Console
    except ImportError:
        print(plain(blocks))
        return
    console = Console(highlight=False)
    for k, block in enumerate(map(_seen, blocks)):
        if k:
            console.print()
        if isinstance(block, Table):
            _rich_table(console, block)
        elif isinstance(block, Tree):
            lines = tree_lines(block)
            console.print(lines[0], style="bold", markup=False)
            for line in lines[1:]:
                console.print(line, markup=False)
        else:
            console.print("\n".join(block.lines), markup=False)


def _rich_table(console: Any, block: Table) -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    if block.title:
        console.print(block.title, style="bold", markup=False)
    if block.rows:
        table = RichTable(box=box.SIMPLE_HEAD)
        for k, head in enumerate(block.head):
            numbers = all(is_number(r[k]) for r in block.rows)
            table.add_column(RichText(head), justify="right" if numbers else "left")
        for row in block.rows:
            table.add_row(*(RichText(cell) for cell in row))
        console.print(table)
    for note in block.notes:
        console.print(f"  {note}", style="dim", markup=False)


class Report:
    """Something made of blocks: `print(r)` is text, `r.show()` uses colours where it can."""

    def blocks(self) -> list[Block]:
        raise NotImplementedError

    def __str__(self) -> str:
        return plain(self.blocks())

    def show(self) -> None:
        """Print in colour in a terminal, as plain text elsewhere."""
        show(self.blocks())


__all__ = ["Block", "Report", "Table", "Text", "Tree", "colours", "columns", "plain", "show"]
