"""Record what PyTorch prints for the programs of tests/tensor/cases.

Runs in an interpreter with torch and NumPy; chainrule is not imported.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tensor"))

from printed_programs import record  # noqa: E402
from programs import all_cases  # noqa: E402

if __name__ == "__main__":
    record(all_cases(), ROOT / "tests" / "recorded" / "tensor.json")
