"""docs/libraries.md, written from the outcomes of the last run."""

import json

from .environments import ROOT
from .table import HERE, read_table

RESULTS = HERE / "results.json"
PAGE = ROOT / "docs" / "libraries.md"

HEAD = """# Libraries written for PyTorch

Each of these is installed without PyTorch, in an environment of its own, and does a small job under
`chainrule run`. The same job ran under PyTorch {torch}, and its numbers are recorded. Written by
`make test-libraries`; `tests/libraries/` has the jobs, the versions and PyTorch's numbers.

**Difference** is the largest between a number here and PyTorch's, relative to the larger of 1 and
that number. The jobs print losses, metrics, predictions and samples; the same seed gives the same
random numbers as PyTorch. Whole numbers and texts (tokens, classes) must be equal.

{there} of {total} do their job with PyTorch's numbers.

| library | version | job | values | difference |
|---|---|---|---|---|
"""

TAIL = """
## Try one

```sh
pip install chainrule
pip install --no-deps {package}          # without torch; then what else it needs
chainrule run your_script.py
```

`pip install --requirement tests/libraries/locked/{name}.txt --no-deps` installs the versions of the
table.
"""

FAILS = """
## Not yet

| library | version | what stops it |
|---|---|---|
"""


def kept_outcomes() -> dict[str, dict]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def keep(outcomes: list[dict]) -> None:
    """Put the outcomes of this run in the place of older ones and write the page again."""
    rows = {**kept_outcomes(), **{one["name"]: one for one in outcomes}}
    known = read_table()
    rows = {name: rows[name] for name in sorted(rows) if name in known}
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(rows), encoding="utf-8")


def page(rows: dict[str, dict]) -> str:
    good = [row for row in rows.values() if not row["failed"]]
    bad = [row for row in rows.values() if row["failed"]]
    text = HEAD.format(torch="2.13", there=len(good), total=len(rows))
    text += "".join(map(good_line, good))
    if bad:
        text += FAILS + "".join(map(bad_line, bad))
    return text + TAIL.format(package="einops", name="einops")


def good_line(row: dict) -> str:
    apart = f"{row['difference']:.0e}" if row["difference"] else "0"
    return f"| {row['name']} | {row['version']} | {row['does']} | {row['compared']} | {apart} |\n"


def bad_line(row: dict) -> str:
    reason = row["failed"].replace("|", "\\|").replace("<", "&lt;")
    return f"| {row['name']} | {row['version']} | {reason} |\n"
