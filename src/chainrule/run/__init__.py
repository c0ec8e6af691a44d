"""Run PyTorch programs unmodified: `torch` resolves to chainrule in this process and its children.

From the command line `chainrule run script.py`; in a notebook, before `torch` is imported:

>>> import chainrule.run
>>> with chainrule.run.installed():
...     import torch
...     import torch.nn.functional as F
...     print(torch.__name__, F.__name__)
torch chainrule.nn.functional
"""

from __future__ import annotations

from .installation import REPORTED_VERSION, install, installed, stand_in, uninstall


def main(argv: list[str]) -> int:
    """`chainrule run ...`: run a script, a module or a string; returns the exit code."""
    if argv[:1] == ["--doctor"]:
        from .diagnosed import beside as run
    else:
        from .script import main as run
    return run(argv)


__all__ = ["REPORTED_VERSION", "install", "installed", "main", "stand_in", "uninstall"]
