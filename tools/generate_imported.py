"""Write src/chainrule/run/imported.txt: names that modules of PyTorch have only by importing them.

    python tools/generate_imported.py FILE    (what tools/record/record_imported.py wrote)

Kept are those that our module lacks and that can be found here where PyTorch has them.
"""

from __future__ import annotations

import importlib
import sys
import textwrap
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "src" / "chainrule" / "run" / "imported.txt"
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import public_names  # noqa: E402

import chainrule.run  # noqa: E402
from chainrule.run import imported  # noqa: E402


def kept(path: str, lines: list[str]) -> list[str]:
    """The lines of a module that are of use here."""
    module = public_names.imported(path)
    looked_up = module is not None and hasattr(module, "_getattr_without_hook")
    found: dict[str, list[str]] = {}
    for line in lines if looked_up else []:
        home, *words = line.split()
        for word in words:
            name, _, other = word.partition("=")
            missing = not public_names.has(module, name)
            if missing and imported.found_at(other or f"{home}.{name}") is not None:
                found.setdefault(home, []).append(word)
    return [
        f"  {home} {part}"
        for home, words in found.items()
        for part in textwrap.wrap(
            " ".join(words), 97 - len(home), break_long_words=False, break_on_hyphens=False
        )
    ]


def main() -> None:
    warnings.simplefilter("ignore")
    written = []
    TARGET.write_text("", encoding="utf-8")
    imported.table.cache_clear()
    with chainrule.run.installed():
        importlib.import_module("torch")
        for path, lines in public_names.blocks(Path(sys.argv[1])).items():
            below = kept(path, lines)
            written += [path, *below] if below else []
    TARGET.write_text("\n".join(written) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
