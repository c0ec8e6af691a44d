"""Record what PyTorch prints for the programs of `tests/overrides`.

python tools/record/record_overrides.py, with PyTorch installed.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))


def main() -> None:
    """Run each program with PyTorch and write the lines it prints."""
    import torch

    from tests.overrides.cases import CALLS, PROGRAMS
    from tests.overrides.dispatch_cases import PROGRAMS as DISPATCH_PROGRAMS
    from tests.overrides.dispatch_cases import SKIPPED

    recorded = {}
    for name, program in (PROGRAMS | DISPATCH_PROGRAMS).items():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(
                compile(program, name, "exec"), {"torch": torch, "CALLS": CALLS, "SKIPPED": SKIPPED}
            )
        recorded[name] = printed.getvalue().splitlines()
    target = ROOT / "tests" / "recorded" / "overrides.json"
    target.write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main()
