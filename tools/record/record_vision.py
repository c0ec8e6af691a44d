"""Record what torchvision's operators give for tests/library/vision_cases.py. Needs torchvision."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
import torchvision  # registers the operators

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from library import vision_cases  # noqa: E402


def rounded(value):
    """Numbers at seven digits."""
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return float(f"{value:.7g}") if isinstance(value, float) else value


assert torchvision.extension._has_ops()
found = {name: rounded(run(torch)) for name, run in vision_cases.CASES.items()}
(TESTS / "recorded" / "vision.json").write_text(json.dumps(found) + "\n", encoding="utf-8")
