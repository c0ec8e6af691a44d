"""Record what PyTorch gives for the programs of tests/data/cases.py.

Runs in an interpreter with torch and NumPy; chainrule is not imported.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "data"))

from cases import CASES  # noqa: E402


def main() -> None:
    warnings.simplefilter("ignore")
    recorded = {name: run(torch) for name, run in CASES.items()}
    path = ROOT / "tests" / "recorded" / "data.json"
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items())
    path.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
    print(f"{len(recorded)} programs")


if __name__ == "__main__":
    main()
