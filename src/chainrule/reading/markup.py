"""Text inside of HTML and SVG: it can end no element, and no character in it breaks a picture."""

from __future__ import annotations

import html

from ..autograd.printable import printable


def escape(text: str, quote: bool = True) -> str:
    """The text as markup shows it.

    >>> escape("<b>\\x1b[2J")
    '&lt;b&gt;\\\\x1b[2J'
    """
    return html.escape(printable(text), quote)


__all__ = ["escape"]
