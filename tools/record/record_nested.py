"""Record what PyTorch does with nested tensors in the jagged layout. Needs torch.

python tools/record/record_nested.py      writes tests/recorded/nested.json
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "nested"))

import programs  # noqa: E402
import torch  # noqa: E402


def main() -> None:
    warnings.simplefilter("ignore")
    found = {
        "calls": {code: programs.call(code, torch) for code in programs.CALLS},
        "programs": {name: programs.run(name, torch) for name in programs.PROGRAMS},
    }
    target = ROOT / "tests" / "recorded" / "nested.json"
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found['calls'])} calls, {len(found['programs'])} programs")


if __name__ == "__main__":
    main()
