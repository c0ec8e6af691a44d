"""What a page starts from: a file of the user's, or a small example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .lessons import LESSONS
from .programs import read_program

EXAMPLE = """\
def cost(x=2.0, w=3.0, b=1.0, target=5.0):
    z = x * w + b
    error = z - target
    return error ** 2
"""


def playground() -> dict[str, Any]:
    """The settings of the playground: what can be chosen, and the classics."""
    from .playground import datasets, presets, script

    return {
        "default": script.DEFAULT, "presets": presets.PRESETS,
        "choices": {
            "data": datasets.NAMES, "activation": list(script.ACTIVATIONS),
            "init": list(script.INITS), "norm": list(script.NORMS),
            "optimizer": list(script.OPTIMIZERS),
        },
    }  # fmt: skip


def starting_point(
    file: str, function: str, at: dict[str, Any], step: int, lesson: int = 0
) -> dict[str, Any]:
    """The program, its point and the names of its neighbours; or a lesson, from 1 on."""
    path = Path(file or ("lesson.py" if lesson else "program.py"))
    text = LESSONS[lesson - 1]["program"] if lesson else EXAMPLE
    text = read_program(path) if file else text
    folder = path.resolve().parent if file else Path.cwd()
    return {
        "name": path.name, "lesson": lesson - 1, "text": text, "function": function, "at": at,
        "step": step, "playground": playground(), "lessons": LESSONS,
        "neighbours": sorted(p.name for p in folder.glob("*.py"))[:200],
    }  # fmt: skip


__all__ = ["EXAMPLE", "starting_point"]
