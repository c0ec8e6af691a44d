"""Write src/chainrule/run/homes.txt: where PyTorch has what lies in another module here.

    python tools/generate_homes.py

`tests/recorded/homes.txt` says where PyTorch defines its public names. A name of ours that the
import hook would not put there by itself is listed with that module if it can be found there, and
else with the module in which users find it.
"""

from __future__ import annotations

import functools
import importlib
import sys
import textwrap
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "chainrule" / "run" / "homes.txt"
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from public_names import blocks  # noqa: E402

RECORDED = ROOT / "tests" / "recorded" / "homes.txt"


def found_at(path: str) -> Any:
    """The object at a path such as `torch.nn.Linear`; None where there is none."""
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def home_here(home: str, path: str, found: Any) -> str:
    """PyTorch's module of a name, or the one that users find it in."""
    return home if found_at(f"{home}.{found.__name__}") is found else path.rpartition(".")[0]


def candidates() -> dict[Any, list[str]]:
    """Our classes and functions, each with the modules that PyTorch has its like in."""
    found: dict[Any, list[str]] = {}
    for home, lines in blocks(RECORDED).items():
        for path in sorted(" ".join(lines).split(), key=len):
            value = found_at(path)
            name = path.rpartition(".")[2]
            if isinstance(value, type | FunctionType) and value.__name__ == name:
                found.setdefault(value, []).append(home_here(home, path, value))
    return found


def listed() -> dict[str, dict[str, set[str]]]:
    """By PyTorch's module: names by the module of ours that has them."""
    from chainrule.run import naming

    table: dict[str, dict[str, set[str]]] = {}
    for value, homes in candidates().items():
        own = naming._before.get(value, value.__module__)
        if own.startswith("chainrule.") and value.__module__ not in homes:
            home = min(homes, key=lambda path: (path.count("."), path))
            table.setdefault(home, {}).setdefault(own.partition(".")[2], set()).add(value.__name__)
    return table


def text() -> str:
    """The file, from what the hook does without it."""
    import chainrule.run
    from chainrule.run import naming

    naming.homes = functools.cache(dict)
    chainrule.run.stand_in()
    lines = []
    for home, modules in sorted(listed().items()):
        lines.append(home)
        for module, names in sorted(modules.items()):
            words = " ".join([module, *sorted(names)])
            wrapped = textwrap.wrap(
                words, 98 - len(module), break_on_hyphens=False, break_long_words=False
            )
            lines += [f"  {wrapped[0]}", *(f"  {module} {more}" for more in wrapped[1:])]
    return "\n".join(lines) + "\n"


def main() -> None:
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["--print"]:
        print(text(), end="")
    else:
        TARGET.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
