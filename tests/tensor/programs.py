"""Small programs and what PyTorch prints for them.

`cases/*.txt` hold programs under headings (`=== what it shows`). A program that ends in an error
starts with `# error: <phrase of PyTorch's message>`. `tools/record/record_tensor.py` runs them with
PyTorch and stores their output in `tests/recorded/tensor.json`. This module imports NumPy only.
"""

from __future__ import annotations

import contextlib
import copy
import io
import math
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "cases"
_PHRASE = "# error: "


class Case:
    """One program."""

    def __init__(self, family: str, title: str, program: str) -> None:
        self.family = family
        self.title = title
        self.program = program
        first = program.splitlines()[0]
        self.phrase = first.removeprefix(_PHRASE) if first.startswith(_PHRASE) else None

    @property
    def key(self) -> str:
        return f"{self.family}: {self.title}"

    def run(self, package: Any) -> tuple[str, Exception | None]:
        """What the program prints under a package, and the error it ends in."""
        space = {
            "torch": package, "F": package.nn.functional, "np": np, "copy": copy,
            "pickle": pickle, "math": math, "__name__": "case",
        }  # fmt: skip
        package.manual_seed(0)
        printed, problem = io.StringIO(), None
        code = compile(self.program, f"<{self.title}>", "exec")
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(code, space)
            except Exception as error:
                problem = error
        return plain(printed.getvalue()), problem


def plain(text: str) -> str:
    """Text without addresses and without the C++ namespace of PyTorch's internal nodes."""
    return re.sub(r"0x[0-9a-f]+", "0x", text).replace("torch::autograd::", "")


def all_cases() -> list[Case]:
    """Every program of every file."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            title, _, program = part.partition("\n")
            found.append(Case(path.stem, title.strip(), program))
    return found
