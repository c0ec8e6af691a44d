"""What is tried: the rows of table.toml and the files that belong to each."""

import ast
import hashlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Relative to the larger of 1 and PyTorch's number: rounding in float32, and some steps of training.
TOLERANCE = 1e-5


@dataclass(frozen=True)
class Library:
    """One row: what is installed, and how closely its numbers must agree."""

    name: str
    requires: tuple[str, ...]
    """Pinned packages; the first is the library itself. What they need is in `lock`."""
    tolerance: float = TOLERANCE
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the job finds set, as a user of the library would set them."""

    @property
    def version(self) -> str:
        return self.requires[0].partition("==")[2]

    @property
    def package(self) -> str:
        return self.requires[0].partition("==")[0]

    @property
    def job(self) -> Path:
        """Not named as the library is: its folder is the first that imports are looked up in."""
        return HERE / "jobs" / f"use_{self.name}.py"

    @property
    def lock(self) -> Path:
        return HERE / "locked" / f"{self.name}.txt"

    @property
    def recorded(self) -> Path:
        return HERE / "recorded" / f"{self.name}.json"

    @property
    def does(self) -> str:
        """What the job does, in the words of its docstring."""
        text = ast.get_docstring(ast.parse(self.job.read_text(encoding="utf-8")))
        return re.sub(r"\s+", " ", text or "").rstrip(".")

    @property
    def digest(self) -> str:
        """Changes with the job, so that numbers of an older one are not taken for its own."""
        return hashlib.sha256(self.job.read_bytes()).hexdigest()[:16]


def read_table() -> dict[str, Library]:
    rows = tomllib.loads((HERE / "table.toml").read_text(encoding="utf-8"))
    return {name: library(name, row) for name, row in sorted(rows.items())}


def library(name: str, row: dict) -> Library:
    variables = tuple(sorted(row.pop("environment", {}).items()))
    return Library(name, tuple(row.pop("requires")), environment=variables, **row)
