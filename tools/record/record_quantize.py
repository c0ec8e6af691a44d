"""Record what PyTorch shows of quantized tensors and models. Needs torch.

python tools/record/record_quantize.py      writes tests/recorded/quantize.json
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import quantize_programs  # noqa: E402
import torch  # noqa: E402


def main() -> None:
    warnings.simplefilter("ignore")
    found = {name: quantize_programs.run(name, torch) for name in quantize_programs.PROGRAMS}
    target = ROOT / "tests" / "recorded" / "quantize.json"
    target.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} programs")


if __name__ == "__main__":
    main()
