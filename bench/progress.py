"""A progress bar on a terminal, nothing elsewhere."""

import os
import sys
from typing import Any

BAR = 24


class Progress:
    """Called with what is done, what there is to do, and what comes next."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self.bar: Any = None
        self.task: Any = None

    def __enter__(self) -> "Progress":
        if self.shown and not os.environ.get("NO_COLOR"):
            try:
                from rich.console import Console
                from rich.progress import (
                    BarColumn,
                    MofNCompleteColumn,
                    TextColumn,
                    TimeElapsedColumn,
                )
                from rich.progress import Progress as Rich
            except ImportError:
                return self
            columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            text = TextColumn("{task.description}", markup=False)
            # Redrawn when something is told, not by a thread that would share the cores.
            self.bar = Rich(*columns, text, console=Console(stderr=True), transient=True,
                            auto_refresh=False)  # fmt: skip
            self.task = self.bar.add_task("", total=None)
            self.bar.start()
        return self

    def __call__(self, done: int, total: int, message: str) -> None:
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total, description=message)
            self.bar.refresh()
        elif self.shown:
            filled = "#" * (BAR * done // max(total, 1))
            print(f"\r[{filled:{BAR}}] {message[:60]:60}", end="\r", file=sys.stderr, flush=True)

    def __exit__(self, *exception: object) -> None:
        if self.bar is not None:
            self.bar.stop()
        elif self.shown:
            print(f"\r{'':{BAR + 64}}", end="\r", file=sys.stderr, flush=True)
