"""What programs print under PyTorch, kept as JSON for the tests that compare with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch


def record(cases: Iterable[Any], path: Path) -> None:
    """Run every program under PyTorch and write what it prints, or how it fails."""
    recorded: dict[str, Any] = {}
    for case in cases:
        printed, problem = case.run(torch)
        entry = {"program": case.program, "printed": printed}
        if (problem is None) != (case.phrase is None):
            raise SystemExit(f"{case.key}: {problem!r}, expected {case.phrase!r}")
        if problem is not None:
            if case.phrase not in str(problem):
                raise SystemExit(f"{case.key}: PyTorch says {problem}")
            entry["error"] = type(problem).__name__
        if case.key in recorded:
            raise SystemExit(f"{case.key} is there twice")
        recorded[case.key] = entry
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    print(f"{len(recorded)} programs")
