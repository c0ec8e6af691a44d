"""Record the types of results under autocast, for tests/amp/cases.py. Needs torch."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import scenario  # noqa: E402 - found through the path set above
from amp import cases, scenarios  # noqa: E402

warnings.simplefilter("ignore")
found: dict[str, list[str]] = {}
for expression, kind, low in cases.all_cases():
    found.setdefault(expression, []).append(cases.outcome(torch, expression, kind, low))
lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
(ROOT / "tests" / "recorded" / "autocast.json").write_text("{\n" + lines + "\n}\n")
print(f"autocast: {len(found)} expressions")
scenario.record(scenarios, "amp", torch)
