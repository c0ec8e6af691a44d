r"""Text that came from elsewhere (files, names of modules, lines of source), made fit to be shown.

A terminal obeys control characters, and pictures in XML cannot hold them; letters that turn the
direction of what follows make it read differently from what it is.

>>> printable("weight\x1b[2J"), printable("größe\n")
('weight\\x1b[2J', 'größe\n')
"""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with a written form (`\\x1b`) for every character that cannot be seen."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _written(c) for c in text)


def _written(c: str) -> str:
    return c.encode("unicode_escape").decode("ascii")


__all__ = ["printable"]
