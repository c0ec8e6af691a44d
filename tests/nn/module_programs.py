"""Small programs with modules and what PyTorch prints for them.

`programs/*.txt` hold them under headings, as `tests/tensor/cases` do. The recorder is
`tools/record/record_modules.py`; it stores `tests/recorded/modules.json`.
"""

from __future__ import annotations

from pathlib import Path

from tensor.programs import Case

FOLDER = Path(__file__).parent / "programs"
PRELUDE = """nn = torch.nn
from collections import OrderedDict
def said(f, *args, **kwargs):
    try:
        return f(*args, **kwargs)
    except Exception as problem:
        return f"{type(problem).__name__}: {str(problem).splitlines()[0]}"
"""


def all_cases() -> list[Case]:
    """Every program of every file."""
    found = []
    for path in sorted(FOLDER.glob("*.txt")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            title, _, program = part.partition("\n")
            case = Case(path.stem, title.strip(), program)
            case.program = PRELUDE + program
            found.append(case)
    return found
