"""Opens a trace where the user is: a notebook's cell, or the browser."""

from __future__ import annotations

import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import Any


def show_trace(trace: Any) -> None:
    """Below the cell of a notebook; else as a file in the browser, whose name is printed."""
    display = _notebook()
    if display is not None:
        display(trace)
        return
    folder = Path(tempfile.mkdtemp(prefix="chainrule-studio-"))
    path = folder / "studio.html"
    trace.to_html(path)
    if not webbrowser.open(path.as_uri()):
        print(f"studio: no browser could be opened; the page is {path}")


def somebody_looks() -> bool:
    """Whether a page may be opened unasked: a person is at the terminal, outside of a notebook."""
    return _notebook() is None and sys.stdin is not None and sys.stdin.isatty()


def _notebook() -> Any:
    """The function that shows something below the running cell; None outside of notebooks."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or type(shell).__name__ == "TerminalInteractiveShell":
        return None
    return sys.modules["IPython.display"].display


__all__ = ["show_trace", "somebody_looks"]
