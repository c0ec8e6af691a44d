"""Run a job, and compare what it prints with what it printed under PyTorch."""

import json
import math
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from .table import Library

SECONDS = 600
# Under PyTorch the same interpreter runs the job, with torch found behind everything else.
WITH_TORCH = (
    "import runpy, sys; sys.path.append(sys.argv.pop(1)); del sys.argv[0]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)
# Nothing is fetched, nothing is drawn, and no library starts threads of its own.
SURROUNDINGS = {
    "HF_HUB_OFFLINE": "1",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "WANDB_MODE": "disabled",
}


@dataclass(frozen=True)
class Outcome:
    """One line of the table: `failed` is empty when the job ended with PyTorch's numbers."""

    name: str
    version: str
    does: str
    compared: int = 0
    difference: float = 0.0
    failed: str = ""

    def as_row(self) -> dict:
        return asdict(self)


def outcome(library: Library, python: Path) -> Outcome:
    row = Outcome(library.name, library.version, library.does)
    if not library.recorded.exists():
        return failed(row, "PyTorch's numbers are not recorded")
    recorded = json.loads(library.recorded.read_text(encoding="utf-8"))
    if recorded["digest"] != library.digest:
        return failed(row, "the job changed since PyTorch's numbers were recorded")
    try:
        got = printed(library, [str(python), "-m", "chainrule", "run", str(library.job)])
    except RuntimeError as problem:
        return failed(row, last_line(str(problem)))
    return compared(row, library.tolerance, got, recorded["printed"])


def record(library: Library, python: Path, torch: Path) -> None:
    command = [str(python), "-c", WITH_TORCH, str(torch), str(library.job)]
    kept = {"digest": library.digest, "printed": printed(library, command)}
    library.recorded.parent.mkdir(exist_ok=True)
    library.recorded.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def printed(library: Library, command: list[str]) -> dict:
    """The JSON object of the last line that the job prints, in an empty folder."""
    surroundings = {**os.environ, **SURROUNDINGS, **dict(library.environment)}
    with tempfile.TemporaryDirectory() as folder:
        surroundings["XDG_CACHE_HOME"] = folder
        ran = subprocess.run(
            command, cwd=folder, env=surroundings, capture_output=True, text=True, timeout=SECONDS
        )
    if ran.returncode:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout.strip().splitlines()[-1])


def compared(row: Outcome, tolerance: float, got: dict, want: dict) -> Outcome:
    if list(got) != list(want):
        return failed(row, f"printed {list(got)}, PyTorch {list(want)}")
    count, worst, where = 0, 0.0, ""
    for key in want:
        ours, theirs = leaves(got[key]), leaves(want[key])
        if len(ours) != len(theirs):
            return failed(row, f"{key}: {len(ours)} values, PyTorch {len(theirs)}")
        for mine, other in zip(ours, theirs, strict=True):
            apart = distance(mine, other)
            count += 1
            if apart > worst:
                worst, where = apart, f"{key}: {mine!r}, PyTorch {other!r}"
    text = where if worst > tolerance else ""
    return Outcome(row.name, row.version, row.does, count, worst, text)


def leaves(value: object) -> list:
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, list) else [value]


def distance(mine: object, other: object) -> float:
    """Relative to the larger of 1 and PyTorch's number; infinite between different things."""
    both = isinstance(mine, float) and isinstance(other, float)
    if mine == other or (both and math.isnan(mine) and math.isnan(other)):
        return 0.0
    if not both or not math.isfinite(mine) or not math.isfinite(other):
        return math.inf
    return abs(mine - other) / max(1.0, abs(other))


def failed(row: Outcome, reason: str) -> Outcome:
    return Outcome(row.name, row.version, row.does, failed=reason)


def last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    # An error of chainrule has its reason and its fix in the lines behind the first.
    named = [line for line in lines if line[:1].isalpha() and "Error" in line.partition(":")[0]]
    return (named or lines or ["ended without a word"])[-1][:300]
