"""Record what PyTorch prints for the programs of tests/nn/programs.

Runs in an interpreter with torch and NumPy; chainrule is not imported.
"""

from __future__ import annotations

import sys
from pathlib import Path

import torch.nn.utils.prune  # noqa: F401 - the programs use it

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from nn.module_programs import all_cases  # noqa: E402
from printed_programs import record  # noqa: E402

if __name__ == "__main__":
    record(all_cases(), ROOT / "tests" / "recorded" / "modules.json")
