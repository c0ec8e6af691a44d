"""Record PyTorch's graphs of the programs of tests/fx/programs.py. Needs torch."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
import torch.fx

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path.insert(0, str(TESTS))

from fx import programs  # noqa: E402

found = {p.__name__: programs.described(torch, p) for p in programs.PROGRAMS}
text = json.dumps(found, indent=1, sort_keys=True)
(TESTS / "recorded" / "fx.json").write_text(text + "\n", encoding="utf-8")
