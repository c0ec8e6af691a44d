"""Record what PyTorch prints for the programs of tests/nn/programs.

Runs in an interpreter with torch and NumPy; chainrule is not imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
import torch.nn.utils.prune

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from nn.module_programs import all_cases  # noqa: E402


def main() -> None:
    recorded = {}
    for case in all_cases():
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
    path = ROOT / "tests" / "recorded" / "modules.json"
    path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    print(f"{len(recorded)} programs")


if __name__ == "__main__":
    main()
