"""Record what PyTorch's optimizers and schedulers compute for the cases of tests/optim.

Runs in an interpreter with torch and NumPy; chainrule is not imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "recorded"
sys.path.insert(0, str(ROOT / "tests" / "optim"))

import optim_cases as cases  # noqa: E402
import optim_others as other_cases  # noqa: E402
import optim_schedules as schedule_cases  # noqa: E402


def record_steps() -> None:
    arrays: dict[str, np.ndarray] = {}
    for key, name, options, dtype in cases.all_cases():
        for label, array in cases.run(torch, name, options, dtype).items():
            arrays[f"{key}/{label}"] = array
    for i, (name, options) in enumerate(cases.SPARSE):
        for label, array in cases.run_sparse(torch, name, options).items():
            arrays[f"sparse{i}/{label}"] = array
    # One flat array per type and an index: thousands of small members would be mostly headers.
    index: dict[str, Any] = {}
    flat: dict[str, list[np.ndarray]] = {}
    for label, array in arrays.items():
        parts = flat.setdefault(array.dtype.name, [])
        start = sum(p.size for p in parts)
        index[label] = [array.dtype.name, start, list(array.shape)]
        parts.append(array.reshape(-1))
    joined = {kind: np.concatenate(parts) for kind, parts in flat.items()}
    np.savez_compressed(RECORDED / "optim_steps.npz", index=json.dumps(index), **joined)
    print(f"{len(arrays)} arrays of steps")


def record_schedules() -> None:
    found = {key: schedule_cases.run(torch, key) for key in schedule_cases.ALL}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (RECORDED / "optim_schedules.json").write_text(text, encoding="utf-8")
    print(f"{len(found)} schedules")


def record_others() -> None:
    found = other_cases.record(torch)
    text = json.dumps(found, indent=1) + "\n"
    (RECORDED / "optim_others.json").write_text(text, encoding="utf-8")
    print(f"{len(found)} others")


if __name__ == "__main__":
    record_steps()
    record_schedules()
    record_others()
