"""Record what PyTorch shows of conjugates and negatives that are still to be computed. Needs torch.

python tools/record/record_lazy.py      writes tests/recorded/lazy_views.json
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tensor"))

import lazy_programs  # noqa: E402
import torch  # noqa: E402


def main() -> None:
    warnings.simplefilter("ignore")
    found = {name: lazy_programs.run(name, torch) for name in lazy_programs.PROGRAMS}
    target = ROOT / "tests" / "recorded" / "lazy_views.json"
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} programs")


if __name__ == "__main__":
    main()
