"""Write tests/names_missing.txt: the public names of PyTorch that chainrule lacks.

python tools/list_missing_names.py
"""

from __future__ import annotations

import sys
import textwrap
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

import public_names  # noqa: E402

HEAD = "# Public names of PyTorch that chainrule lacks (tools/list_missing_names.py)."


def main() -> None:
    warnings.simplefilter("ignore")
    lines, count = [HEAD], 0
    for module, names in sorted(public_names.lacking().items()):
        count += len(names)
        lines.append(module)
        text = " ".join(sorted(names))
        lines += textwrap.wrap(text, 98, initial_indent="  ", subsequent_indent="  ")
    public_names.MISSING_FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{count} of {sum(map(len, public_names.RECORDED.values()))} names are missing")


if __name__ == "__main__":
    main()
