"""Record how PyTorch's public functions, classes and methods are called. Needs torch.

    python tools/record/record_signatures.py      writes tests/recorded/signatures.json

Of each module of record_names.py the functions and classes whose signature Python knows; what is
shown in several modules is recorded where it was found first. Native functions tell no signature:
their calls are recorded one by one (record_calls.py).
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "recorded" / "signatures.json"
sys.path[:0] = [str(ROOT / "tests"), str(Path(__file__).parent)]

import record_names  # noqa: E402
import signatures  # noqa: E402


def described(value: Any, seen: set[int]) -> Any:
    """The parameters of a function, the methods of a class, or None."""
    if inspect.isclass(value):
        return signatures.methods(value, "torch", seen) or None
    if callable(value) and not inspect.isbuiltin(value):
        return signatures.parameters(value)
    return None


def late(item: tuple[str, Any]) -> tuple[bool, str]:
    """Packages that show the classes of others come last."""
    return item[0].startswith(("torch.ao", "torch.distributed.", "torch.jit")), item[0]


def as_text(found: dict[str, dict[str, Any]]) -> str:
    """One line for each callable."""
    blocks = []
    for module, names in found.items():
        lines = (f"  {json.dumps(name)}: {json.dumps(told)}" for name, told in names.items())
        blocks.append(f"{json.dumps(module)}: {{\n" + ",\n".join(lines) + "\n}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main() -> None:
    warnings.simplefilter("ignore")
    import torch

    seen: set[int] = set()
    found: dict[str, dict[str, Any]] = {}
    for name, module in sorted(record_names.modules(torch).items(), key=late):
        for each in sorted(record_names.public_names(module), key=lambda n: n != "Tensor"):
            value = getattr(module, each)
            if id(value) in seen or not str(getattr(value, "__module__", "")).startswith("torch"):
                continue
            seen.add(id(value))
            told = described(value, seen)
            if told is not None:
                found.setdefault(name, {})[each] = told
    TARGET.write_text(as_text(found), encoding="utf-8")
    count = sum(len(names) for names in found.values())
    print(f"{TARGET.relative_to(ROOT)}: {count} callables of {len(found)} modules")


if __name__ == "__main__":
    main()
