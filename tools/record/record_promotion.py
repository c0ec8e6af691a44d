"""Record PyTorch's result types for all pairs of types: writes tests/recorded/promotion.json."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from ops.sample import resolve  # noqa: E402
from promotion_cases import FORMS, OPS, UNARY, letter, operands, rows  # noqa: E402


def main() -> None:
    """Record and write."""
    warnings.simplefilter("ignore")
    found = {name: {form: rows(torch, resolve, name, form) for form in FORMS} for name in OPS}
    for name in UNARY:
        every = (letter(torch, resolve, name, x) for x in operands(torch, "tensor"))
        found[name] = {"tensor": ["".join(every)]}
    text = json.dumps(found, indent=1)
    (ROOT / "tests" / "recorded" / "promotion.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
