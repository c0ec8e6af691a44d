"""Record where PyTorch's public classes and functions say they are at home. Needs torch.

    python tools/record/record_homes.py      writes tests/recorded/homes.txt

A line with no indent is a home, `torch.nn.modules.linear`; below it the shortest paths by which
users reach what is defined there: `torch.nn.Linear`. `tools/generate_homes.py` makes the table of
`chainrule.run.naming` from it.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "recorded" / "homes.txt"
sys.path.insert(0, str(Path(__file__).parent))

import record_names  # noqa: E402


def home_of(value: Any) -> str | None:
    """The module of a class or function that can be found there by its own name; else None."""
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return None  # native functions live in classes of PyTorch's C++ half
    home, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if not isinstance(home, str) or home.partition(".")[0] != "torch":
        return None
    return home if getattr(sys.modules.get(home), name, None) is value else None


def length(path: str | None) -> tuple[int, str]:
    return (len(path), path) if path else (sys.maxsize, "")


def main() -> None:
    warnings.simplefilter("ignore")
    import torch

    found: dict[str, dict[str, str]] = {}
    for path, module in record_names.modules(torch).items():
        for name in record_names.public_names(module):
            value = getattr(module, name)
            home = home_of(value)
            if home is not None and value.__name__ == name:
                known = found.setdefault(home, {})
                known[name] = min(known.get(name), f"{path}.{name}", key=length)
    lines = ["# Where PyTorch's public names are defined (tools/record/record_homes.py)."]
    for home, paths in sorted(found.items()):
        lines.append(home)
        text = " ".join(sorted(paths.values()))
        lines += textwrap.wrap(text, 98, initial_indent="  ", subsequent_indent="  ",
                               break_on_hyphens=False, break_long_words=False)  # fmt: skip
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
