"""Write requirements/ci.txt: every package that the checks install, with its version and hashes.

    python tools/lock_versions.py python3.11 python3.12 python3.13

Each interpreter asks its package index what it would install; the hashes of all of them are joined,
so that one file serves every Python that is tested. No index is named in the file: where packages
come from is the business of whoever installs, what they are is not.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements" / "ci.txt"
HEAD = """\
# What the checks install, on Linux, with each tested Python. Written by tools/lock_versions.py.
# pip install --require-hashes -r requirements/ci.txt
"""


def wanted() -> list[str]:
    """The requirements of the project, of its checks and of its build."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = about["project"]
    return [
        *project["dependencies"], *project["optional-dependencies"]["dev"],
        *about["build-system"]["requires"], "editables",
    ]  # fmt: skip


def resolved(python: str, requirements: list[str]) -> list[dict[str, Any]]:
    """What an interpreter's pip would install for them, as it reports it."""
    found = subprocess.run(
        [python, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed",
         "--only-binary", ":all:", "--report", "-", *requirements],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(found.stdout[found.stdout.index("{") :])["install"]


def lock(pythons: list[str]) -> str:
    """The text of the file; a version that only some Pythons take is marked with theirs."""
    found: dict[tuple[str, str], dict[str, str]] = {}  # (name, version) -> {Python: hash}
    known = [_version(python) for python in pythons]
    for python, number in zip(pythons, known, strict=True):
        for package in resolved(python, wanted()):
            name = re.sub(r"[-_.]+", "-", package["metadata"]["name"]).lower()
            archive = package["download_info"]["archive_info"]
            digest = archive.get("hashes", {}).get("sha256") or archive["hash"].split("=")[1]
            found.setdefault((name, package["metadata"]["version"]), {})[number] = digest
    lines = []
    for (name, version), hashes in sorted(found.items()):
        some = " or ".join(f'python_version == "{number}"' for number in hashes)
        marker = "" if list(hashes) == known else f" ; {some}"
        options = " \\\n".join(
            f"    --hash=sha256:{digest}" for digest in sorted(set(hashes.values()))
        )
        lines.append(f"{name}=={version}{marker} \\\n{options}")
    return HEAD + "\n".join(lines) + "\n"


def _version(python: str) -> str:
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.check_output([python, "-c", asked], text=True).strip()


if __name__ == "__main__":
    LOCK.parent.mkdir(exist_ok=True)
    LOCK.write_text(lock(sys.argv[1:] or [sys.executable]), encoding="utf-8")
