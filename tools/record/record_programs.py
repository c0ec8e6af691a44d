"""Record what the programs of tests/programs print with PyTorch.

Runs in an interpreter with torch; chainrule is not imported. Name programs to record only those.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "run"))

from programs import PROGRAMS, RECORDED, Program, digest  # noqa: E402


def record(program: Program) -> dict[str, str]:
    """Run one program in a process of its own."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": ""}
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", str(program.path), *program.arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    if ran.returncode != 0:
        raise SystemExit(f"{program.name} fails with PyTorch:\n{ran.stderr}")
    return {"digest": digest(program), "printed": ran.stdout}


def main() -> None:
    stored = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    wanted = set(sys.argv[1:]) or {program.name for program in PROGRAMS}
    fresh = {program.name: record(program) for program in PROGRAMS if program.name in wanted}
    stored.update(fresh)
    known = {program.name for program in PROGRAMS}
    stored = {name: stored[name] for name in sorted(stored) if name in known}
    RECORDED.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    print(f"{len(fresh)} programs recorded")


if __name__ == "__main__":
    main()
