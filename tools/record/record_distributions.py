"""Record what PyTorch's distributions tell, for tests/distributions. Needs torch."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import scenario  # noqa: E402 - found through the path set above
from distributions import cases, scenarios  # noqa: E402

warnings.simplefilter("ignore")


def write(name: str, found: dict) -> None:
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(cases.rounded(v))}" for k, v in found.items())
    (ROOT / "tests" / "recorded" / f"{name}.json").write_text("{\n" + lines + "\n}\n")
    print(f"{name}: {len(found)}")


write("distributions", {cases.label(c): cases.about(torch, c) for c in cases.CASES})
write(
    "distribution_samples",
    {cases.label(c): cases.drawn(torch, c) for c in cases.CASES if c[0] not in cases.OWN_STREAM},
)
write("kl_divergences", cases.divergences(torch))
scenario.record(scenarios, "distribution_programs", torch)
