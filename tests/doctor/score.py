"""How good the doctor is: `python -m tests.doctor.score` prints the table of the documentation."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

from .corpus import STYLES, Script, broken, can_be_dressed, diagnose, healthy, programs, repaired

SEEDS = (0, 1, 2)


def main(words: list[str]) -> int:
    """Run everything on three seeds, and once as a notebook and as a module; words select scripts
    by name. 0 if the gate holds."""
    counts: Counter[str] = Counter()
    dressed: Counter[str] = Counter()
    as_they_are = {script.name for script in programs()}
    arguments, sys.argv = sys.argv, ["train.py"]  # what the scripts see
    with tempfile.TemporaryDirectory() as folder:
        for kind, scripts in (
            ("broken", broken()),
            ("repaired", repaired()),
            ("healthy", [*healthy(), *programs()]),
        ):
            for script in scripts:
                if words and not any(w in script.name for w in words):
                    continue
                for seed in SEEDS:
                    judge(kind, script.seeded(seed), seed, Path(folder), counts)
                if script.name in as_they_are or not can_be_dressed(script):
                    continue
                for dress in STYLES.values():
                    judge(kind, dress(script), SEEDS[0], Path(folder), dressed)
    sys.argv = arguments
    report(counts)
    print("the same as notebooks and as modules:")
    report(dressed)
    counts += dressed
    named = counts["named"] >= 0.95 * counts["broken"]
    lines = counts["line"] >= 0.9 * counts["broken"]
    quiet = not counts["repaired flagged"] and counts["healthy flagged"] <= counts["healthy"] / 100
    return int(not (named and lines and quiet))


def judge(kind: str, script: Script, seed: int, folder: Path, counts: Counter[str]) -> None:
    """Run one script and count the outcome; what went wrong is printed."""
    findings = diagnose(script, folder).findings
    counts[kind] += 1
    said = [(f.rule, f.line) for f in findings]
    if kind != "broken":
        if any(f.severity != "note" for f in findings):
            counts[f"{kind} flagged"] += 1
            print(f"{kind} {script.name} seed {seed}: {said}")
        return
    hits = [f for f in findings if f.rule == script.rule]
    counts["named"] += bool(hits)
    right = any(script.is_place(f) for f in hits)
    counts["line"] += right
    counts["extra"] += len(findings) - len(hits)
    if not right or len(findings) > 1:
        print(f"{kind} {script.name} seed {seed}: expected {script.places}, said {said}")


def report(counts: Counter[str]) -> None:
    """The figures."""
    print(f"broken scripts named      {_share(counts['named'], counts['broken'])}")
    print(f"  at the right line       {_share(counts['line'], counts['broken'])}")
    print(f"  further findings        {counts['extra']}")
    print(f"repaired twins flagged    {_share(counts['repaired flagged'], counts['repaired'])}")
    print(f"healthy scripts flagged   {_share(counts['healthy flagged'], counts['healthy'])}")


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} ({part / max(1, whole):.1%})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
